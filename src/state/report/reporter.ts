// The messages of a state run beside its result: each goes to the log with its place in the tree, and to the user of
// the job as a hint.
import { type Log, withHint } from '../../base/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { type Hint, hintAbout, shownPlace } from '../../sdk/mod.ts'
import type { CompileError } from '../compile/types.ts'

export interface ReporterParts {
  opts: Dict
  log: Log
  hint(hint: Hint): void
}

export class Reporter {
  private readonly parts: ReporterParts

  constructor(parts: ReporterParts) {
    this.parts = parts
  }

  /** Log a message, and give the user of the job the parts that the result lacks: place and suggestion. */
  tell(level: Hint['level'], error: CompileError): void {
    this.log(level, error)
    if (error.at?.file === undefined && error.hint === undefined) return
    this.parts.hint(hintAbout(level, { ...error, text: error.brief ?? error.text }, this.parts.opts))
  }

  /** Log a message whose text is already in the result of the run. */
  log(level: Hint['level'], { text, at, hint }: CompileError): void {
    const place = shownPlace(at, this.parts.opts)
    const message = withHint(text, hint)
    this.parts.log(level, place === undefined ? message : `${place}: ${message}`)
  }
}
