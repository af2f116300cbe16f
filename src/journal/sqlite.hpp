#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace virnucpro {

// A prepared statement. Errors, also of SqliteDatabase: kOutputWrite (full disk, I/O, permissions),
// kJournalDamaged (not a database, broken pages, another schema), kOutputBusy (locked by another
// process), kOutOfMemory.
class SqliteStatement {
 public:
  SqliteStatement(sqlite3* database, std::string_view sql, const std::filesystem::path& path);

  // Parameters are numbered from 1.
  SqliteStatement& bind(int parameter, std::uint64_t value);
  SqliteStatement& bind(int parameter, std::string_view text);
  SqliteStatement& bind_blob(int parameter, std::string_view bytes);

  bool step();  // returns false if there is no further row
  // Runs a statement that returns no rows, and resets it for the next use.
  void execute();
  void reset();  // for the statement's next use

  // Columns are numbered from 0.
  std::uint64_t integer(int column) const;
  std::string text(int column) const;
  std::span<const std::byte> blob(int column) const;  // valid until the next step

 private:
  void check(int code) const;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::filesystem::path path_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// An open SQLite database. The file may come from another person. So triggers, views and functions
// with side effects in its schema do not run, value sizes are limited, and links are not followed.
// The caller must check the files beside the database, because SQLite rolls back any "-journal".
class SqliteDatabase {
 public:
  // kAsItIs only reads the file: it takes no locks and ignores the files beside it. Nothing may
  // change the file meanwhile.
  enum class Access : std::uint8_t { kReadWrite, kAsItIs };

  // Opens an existing file, which is empty or a database. `vfs` is "unix-dotfile", or null for
  // "unix". SQLite does not resolve links in the path, so a path through /proc/self/fd stays below
  // that folder, also for the files beside the database. If `shown` is not empty, errors name it
  // instead of the path.
  SqliteDatabase(const std::filesystem::path& path, const char* vfs,
                 Access access = Access::kReadWrite, const std::filesystem::path& shown = {});

  void execute(std::string_view sql);
  SqliteStatement prepare(std::string_view sql) const;
  // Runs a statement and returns the number in its first row's first column.
  std::uint64_t integer(std::string_view sql) const;
  const std::filesystem::path& path() const { return path_; }  // the path that errors name
  // If `keeps`, closing the database leaves the database and its log as they are.
  void keep_log(bool keeps);
  // True if the file may not be written, or its header lets only a newer SQLite write to it.
  bool is_read_only() const;
  // True if the file was removed or replaced. Always false on a file system without file locks.
  bool was_moved() const;

 private:
  void defend();
  void configure(int option, int value);

  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> database_;
};

// A transaction. commit() makes all its changes; without commit() none is made.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteDatabase& database);
  ~SqliteTransaction();
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;

  void commit();

 private:
  SqliteDatabase& database_;
  bool open_ = true;
};

}  // namespace virnucpro
