// The syntax settings of an environment: those of `jinja_env` and `jinja_sls_env`.

export interface Delimiters {
  block_start_string: string
  block_end_string: string
  variable_start_string: string
  variable_end_string: string
  comment_start_string: string
  comment_end_string: string
  line_statement_prefix: string | null
  line_comment_prefix: string | null
  trim_blocks: boolean
  lstrip_blocks: boolean
  newline_sequence: '\n' | '\r\n' | '\r'
  keep_trailing_newline: boolean
}

export const DEFAULT_DELIMITERS: Readonly<Delimiters> = {
  block_start_string: '{%',
  block_end_string: '%}',
  variable_start_string: '{{',
  variable_end_string: '}}',
  comment_start_string: '{#',
  comment_end_string: '#}',
  line_statement_prefix: null,
  line_comment_prefix: null,
  trim_blocks: false,
  lstrip_blocks: false,
  newline_sequence: '\n',
  keep_trailing_newline: false,
}

const NAMES = Object.keys(DEFAULT_DELIMITERS) as Array<keyof Delimiters>

/** A text that is equal for options that read templates alike. */
export function delimitersKey(options: Delimiters): string {
  return JSON.stringify(NAMES.map((name) => options[name]))
}
