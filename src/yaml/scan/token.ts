// The tokens that the scanner hands to the parser.

export const STREAM_END = 0
export const VERSION_DIRECTIVE = 1
export const TAG_DIRECTIVE = 2
export const DOCUMENT_START = 3
export const DOCUMENT_END = 4
export const BLOCK_SEQUENCE_START = 5
export const BLOCK_MAPPING_START = 6
export const BLOCK_END = 7
export const FLOW_SEQUENCE_START = 8
export const FLOW_SEQUENCE_END = 9
export const FLOW_MAPPING_START = 10
export const FLOW_MAPPING_END = 11
export const BLOCK_ENTRY = 12
export const FLOW_ENTRY = 13
export const KEY = 14
export const VALUE = 15
export const ALIAS = 16
export const ANCHOR = 17
export const TAG = 18
export const SCALAR = 19
/** A plain key with its `:`, in place of KEY, SCALAR and VALUE. */
export const PLAIN_KEY = 20

export class Token {
  readonly type: number
  /** Start line, from 0. */
  readonly line: number
  readonly column: number
  /** Its length where an empty node may follow it: that node's place is behind it. */
  readonly width: number
  /** A scalar's, a plain key's or an anchor's text, a tag's handle, a version. */
  readonly value: string
  /** The rest after a tag's handle; the prefix of a tag directive. */
  readonly suffix: string
  /** Whether a scalar had no quotes and is no block. */
  readonly plain: boolean

  constructor(type: number, line: number, column: number, width = 0, value = '', suffix = '', plain = false) {
    this.type = type
    this.line = line
    this.column = column
    this.width = width
    this.value = value
    this.suffix = suffix
    this.plain = plain
  }
}
