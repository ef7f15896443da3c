# `cmake --install`: a prefix that can be moved as a whole. Nothing in it names the folder it was built in.

if(TARGET candor)
  install(TARGETS candor RUNTIME DESTINATION bin)
  # The program writes its own completions, so they never lag behind its options.
  install(CODE [[
    set(places
      "bash|share/bash-completion/completions/candor"
      "zsh|share/zsh/site-functions/_candor"
      "fish|share/fish/vendor_completions.d/candor.fish")
    foreach(pair IN LISTS places)
      string(REPLACE "|" ";" pair "${pair}")
      list(GET pair 0 shell)
      list(GET pair 1 place)
      set(file "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${place}")
      execute_process(COMMAND "$<TARGET_FILE:candor>" completion ${shell}
        OUTPUT_VARIABLE text ERROR_VARIABLE said RESULT_VARIABLE code)
      if(code EQUAL 0 AND text)
        file(WRITE "${file}" "${text}")
        message(STATUS "Installing: ${file}")
      else()
        message(WARNING "no ${shell} completion: `candor completion ${shell}` gave ${code}: ${said}")
      endif()
    endforeach()
  ]])
endif()

if(TARGET candor-worker)
  # Not a command for people: the program starts it.
  install(TARGETS candor-worker RUNTIME DESTINATION libexec/candor)
  file(REAL_PATH "${DuckDB_LIBRARY}" duckdb_file)
  install(PROGRAMS "${duckdb_file}" DESTINATION lib RENAME libduckdb.so)
endif()

if(EXISTS "${CMAKE_SOURCE_DIR}/docs/candor.1")
  install(FILES docs/candor.1 DESTINATION share/man/man1)
endif()

foreach(document README.md LICENSE NOTICE THIRD_PARTY.md)
  if(EXISTS "${CMAKE_SOURCE_DIR}/${document}")
    install(FILES ${document} DESTINATION share/doc/candor)
  endif()
endforeach()
if(IS_DIRECTORY "${CMAKE_SOURCE_DIR}/docs")
  install(DIRECTORY docs/ DESTINATION share/doc/candor FILES_MATCHING PATTERN "*.md" PATTERN decisions EXCLUDE)
endif()

# The licences of what is inside the programs.
if(DuckDB_LICENSE)
  install(FILES "${DuckDB_LICENSE}" DESTINATION share/doc/candor/licences RENAME duckdb)
endif()
foreach(package nlohmann-json3-dev libcli11-dev libyaml-cpp-dev libutf8proc-dev libmd-dev libsqlite3-dev)
  if(EXISTS "/usr/share/doc/${package}/copyright")
    install(FILES "/usr/share/doc/${package}/copyright" DESTINATION share/doc/candor/licences RENAME ${package})
  endif()
endforeach()

# The demo's data: what is made, and what was fetched before installing.
install(DIRECTORY examples/clinic DESTINATION share/candor/demo FILES_MATCHING PATTERN "*.csv")
install(DIRECTORY "${CANDOR_CACHE}/demo-1/" DESTINATION share/candor/demo OPTIONAL)
