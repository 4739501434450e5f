// The state of the code generator at one place of a template: scopes and variables.
import { type Identifiers, SymbolScope } from '../symbols.ts'

export interface CodeFrame {
  scope: SymbolScope
  /** The JavaScript variable that collects output here. */
  buffer: string
  /** In the outermost code of the template, where assignments are exported and `extends` suppresses output. */
  toplevel: boolean
  /** In a branch of an `if`, where an unknown filter fails only at run time. */
  soft: boolean
  /** Whether an executed `extends` suppresses the output here. */
  silenced: boolean
  /** Whether output is escaped here, as far as that is known before rendering. */
  escape: 'on' | 'off' | 'maybe'
  /** The length of the template's output so far, as code; undefined where text is written elsewhere first. */
  offset: string | undefined
}

export function innerFrame(names: Identifiers, frame: CodeFrame): CodeFrame {
  return { ...frame, scope: new SymbolScope(names, frame.scope), toplevel: false, soft: false }
}

/** One JavaScript function being written. */
export interface FunctionState {
  lines: string[]
  /** Set when something in the body may have to be awaited. */
  waits: boolean
  temporaries: string[]
  /** The line of the template that the code written last reports. */
  line: number
}
