// Sentences that several ways of running a job print.
import { lookUpLater } from '../../sdk/mod.ts'
import type { Streams } from '../streams.ts'

export const masterIsGone = 'The salt master could not be contacted. Is master running?'

/** Who stops waiting is told how to see the rest; gives what ends that. */
export function howToLookUp(jid: string, streams: Streams): () => void {
  const tell = (): void => {
    streams.err(`\nExiting gracefully on Ctrl-c\nThis job's jid is: ${jid}\n${lookUpLater(jid)}\n`)
    process.exit(1)
  }
  process.once('SIGINT', tell)
  return () => process.off('SIGINT', tell)
}
