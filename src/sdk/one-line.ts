// Text for programs that read one command or record on each line.
import { failure } from '../data/mod.ts'

/** Return a text that stays on its line. One with line ends or other control characters would begin another line, and is refused. */
export function oneLine(what: string, text: string): string {
  // the text itself may be a secret
  if (/(?!\t)\p{Cc}/u.test(text)) throw failure(`${what} cannot hold line ends or other control characters`)
  return text
}
