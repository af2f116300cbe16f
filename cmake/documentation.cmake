# The manual page and the shell completions: src/documents generates them from the program's table
# of options. They are installed where man, bash and zsh search.
include(GNUInstallDirs)
set(share ${CMAKE_BINARY_DIR}/share)
set(man_page ${share}/man/man1/virnucpro.1)
set(bash_completion ${share}/bash-completion/completions/virnucpro)
set(zsh_completion ${share}/zsh/site-functions/_virnucpro)

add_custom_command(
  OUTPUT ${man_page} ${bash_completion} ${zsh_completion}
  COMMAND write_documents share ${share}
  DEPENDS write_documents
  VERBATIM)
add_custom_target(virnucpro_docs ALL DEPENDS ${man_page} ${bash_completion} ${zsh_completion})

install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${bash_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${zsh_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
