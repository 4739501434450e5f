// Sentences that several ways of running a job print.
import { lookUpLater } from '../../sdk/mod.ts'
import type { Streams } from '../streams.ts'

export const masterIsGone = 'The salt master could not be contacted. Is master running?'

/** Return the line that names the reconnecting minions that `salt` waits for. */
export const awaitedText = ({ ids, seconds }: { ids: readonly string[]; seconds: number }): string => {
  const names = ids.length > 5 ? `${ids.slice(0, 5).join(', ')} and ${ids.length - 5} others` : ids.join(', ')
  return `Waiting up to ${seconds} s for minions that are reconnecting: ${names}\n`
}

/** Return the advice for a user who stops waiting for a job that continues. */
export const jobGoesOn = (jid: string): string =>
  `${lookUpLater(jid)}\n\nTo stop the job on its minions, run:\n\nsalt '*' saltutil.kill_job ${jid}`

/** The same for a batch, whose remaining minions will still get the job. */
export const batchGoesOn = (jid: string): string =>
  [
    'The batch goes on: the master sends the job to the remaining minions.',
    `To see how far the batch is, run:\n\nsalt-run batch.status ${jid}`,
    `To look up the return data, run:\n\nsalt-run jobs.lookup_jid ${jid}`,
    `To start the job on no further minions, run:\n\nsalt-run batch.stop ${jid}`,
  ].join('\n\n')

/** Print at Ctrl-C that a job continues, and how to follow it; return a function that removes the handler. */
export function tellAtInterrupt(jid: string, streams: Streams, goesOn: string): () => void {
  const tell = (): void => {
    streams.err(`\nExiting gracefully on Ctrl-c\nThis job's jid is: ${jid}\n${goesOn}\n`)
    process.exit(1)
  }
  process.once('SIGINT', tell)
  return () => process.off('SIGINT', tell)
}
