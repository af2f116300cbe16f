# What is installed, and where (GNUInstallDirs). Programs find share/virnucpro, and a package's own
# libraries in lib/virnucpro, from their own place: an installed tree may be moved as a whole.
include(GNUInstallDirs)

# virnucpro_installed_in(TARGET FOLDER): how TARGET, installed there, finds the libraries that a
# package brings along. DT_RPATH rather than DT_RUNPATH: only that holds for the libraries of
# libraries, too. The same in the build tree, where the folder does not exist.
function(virnucpro_installed_in target folder)
  file(RELATIVE_PATH libraries ${CMAKE_INSTALL_PREFIX}/${folder}
       ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/virnucpro)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON
                                             INSTALL_RPATH "$ORIGIN/${libraries}")
  target_link_options(${target} PRIVATE LINKER:--disable-new-dtags)
endfunction()

virnucpro_installed_in(virnucpro ${CMAKE_INSTALL_BINDIR})
install(TARGETS virnucpro RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Not CMAKE_INSTALL_DATADIR: the program looks in ../share, wherever it lies.
install(DIRECTORY share/virnucpro DESTINATION share)

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
