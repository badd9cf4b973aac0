# cmake -DIN=FILE -DOUT=FILE.c -DHEADER=FILE.h -DNAME=words -P embed.cmake: the bytes of a file as an array.
file(READ "${IN}" bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE "${OUT}" "#include \"${HEADER}\"\n\nconst unsigned char ${NAME}_bytes[] = {\n${bytes}};\n"
     "const size_t ${NAME}_size = sizeof ${NAME}_bytes;\n")
