# iprof::iprof is the shared library, iprof::static the static one.
get_filename_component(iprof_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET iprof::iprof)
  add_library(iprof::iprof SHARED IMPORTED)
  set_target_properties(iprof::iprof PROPERTIES
    IMPORTED_LOCATION "${iprof_prefix}/lib/libiprof.so.0"
    INTERFACE_INCLUDE_DIRECTORIES "${iprof_prefix}/include")
  add_library(iprof::static STATIC IMPORTED)
  set_target_properties(iprof::static PROPERTIES
    IMPORTED_LOCATION "${iprof_prefix}/lib/libiprof.a"
    INTERFACE_INCLUDE_DIRECTORIES "${iprof_prefix}/include"
    INTERFACE_LINK_LIBRARIES "pthread;dl;m")
endif()
