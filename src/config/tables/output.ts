// Output of returns.
import type { OptionTable } from '../option.ts'

export const OUTPUT = {
  cli_summary: { type: 'bool', master: false, doc: 'End with how many minions answered' },
  show_timeout: { type: 'bool', master: true, doc: 'Say which minions did not answer' },
  show_jid: { type: 'bool', master: false, doc: "Show the job's id" },
  output: { type: 'str', for: ['minion', 'master'], doc: 'Outputter used unless the command names one' },
  output_indent: { type: 'int', for: ['minion', 'master'], doc: 'Blanks per level in JSON output' },
  output_file: { type: 'str', for: ['minion', 'master'], unset: '', doc: 'File that output is written to' },
  color: {
    type: 'bool',
    for: ['minion', 'master'],
    unset: false,
    doc: 'Colour the output; a terminal does by default',
  },
  color_theme: { type: 'str', for: ['minion', 'master'], unset: '', doc: 'File with the colours of the output' },
  strip_colors: { type: 'bool', for: ['minion', 'master'], doc: 'Take colours out of what commands printed' },
  no_color: { type: 'bool', for: ['minion', 'master'], doc: 'Never colour the output' },
  force_color: { type: 'bool', for: ['minion', 'master'], doc: 'Colour the output also when it is no terminal' },
  quiet: { type: 'bool', for: ['master'], unset: false, doc: 'Print nothing but errors' },
  static: { type: 'bool', for: ['master'], unset: false, doc: 'Print all answers together at the end' },
  progress: { type: 'bool', for: ['master'], unset: false, doc: 'Show a progress bar while waiting' },
  verbose: { type: 'bool', for: ['master'], unset: false, doc: "Show the job's id and what is asked" },
  'out.table.separate_rows': { type: 'bool', for: ['minion', 'master'], doc: 'Draw a line between rows of a table' },
  'out.table.justify': { type: 'str', for: ['minion', 'master'], doc: 'How columns of a table are aligned' },
} satisfies OptionTable
