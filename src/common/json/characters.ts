/** The characters that give JSON its structure, as their codes: the same in a text and in its bytes. */
export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const COLON = 0x3a
export const COMMA = 0x2c
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
/** The highest code of white space; nothing else in JSON lies at or below it. */
export const SPACE = 0x20
