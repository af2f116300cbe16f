# What is installed, and where (GNUInstallDirs). Programs find share/virnucpro, and a package's
# libraries in lib/virnucpro, relative to themselves, so an installed tree can be moved as a whole.
include(GNUInstallDirs)

# virnucpro_installed_in(TARGET FOLDER): lets TARGET, installed in FOLDER, find a package's
# libraries. Uses DT_RPATH instead of DT_RUNPATH, because only DT_RPATH also applies to the
# libraries of libraries. Set in the build tree, too, where the folder does not exist.
function(virnucpro_installed_in target folder)
  file(RELATIVE_PATH libraries ${CMAKE_INSTALL_PREFIX}/${folder}
       ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/virnucpro)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON
                                             INSTALL_RPATH "$ORIGIN/${libraries}")
  target_link_options(${target} PRIVATE LINKER:--disable-new-dtags)
endfunction()

virnucpro_installed_in(virnucpro ${CMAKE_INSTALL_BINDIR})
install(TARGETS virnucpro RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Not CMAKE_INSTALL_DATADIR: the program always looks in ../share.
install(DIRECTORY share/virnucpro DESTINATION share)

# The library, its header, and the CMake package virnucpro with the target virnucpro::virnucpro.
virnucpro_installed_in(virnucpro_library ${CMAKE_INSTALL_LIBDIR})
set_target_properties(virnucpro_library PROPERTIES LIBRARY_OUTPUT_DIRECTORY
                                                   ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH share_from_library ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}
     ${CMAKE_INSTALL_PREFIX}/share/virnucpro)
target_compile_definitions(virnucpro_library
                           PRIVATE VIRNUCPRO_SHARE_FROM_LIBRARY="${share_from_library}")
install(DIRECTORY include/virnucpro DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS virnucpro_library EXPORT virnucproTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

include(CMakePackageConfigHelpers)
set(cmake_package ${CMAKE_INSTALL_LIBDIR}/cmake/virnucpro)
install(EXPORT virnucproTargets NAMESPACE virnucpro:: DESTINATION ${cmake_package})
configure_package_config_file(cmake/virnucproConfig.cmake.in virnucproConfig.cmake
                              INSTALL_DESTINATION ${cmake_package})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(virnucproConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/virnucproConfig.cmake
              ${CMAKE_BINARY_DIR}/virnucproConfigVersion.cmake DESTINATION ${cmake_package})

# In the same places as here, so that links between them work.
install(FILES LICENSE README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md SECURITY.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
install(FILES src/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/src COMPONENT documents)
install(FILES measure/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/measure COMPONENT documents)
install(FILES bench/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench COMPONENT documents)
install(DIRECTORY bench/results DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench COMPONENT documents)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents
        FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.html" PATTERN "*.png")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
