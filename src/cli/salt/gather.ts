// A job from its publication to the last answer, printed as answers come.
import { JobHints, NOBODY_MATCHED } from '../../client/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, str, type Value } from '../../data/mod.ts'
import { goneMinions } from '../../match/mod.ts'
import type { Published } from '../../sdk/mod.ts'
import { showHints } from './hints.ts'
import { awaitedText, jobGoesOn, tellAtInterrupt } from './messages.ts'
import { isOptionSet, publishRequest, times } from './request.ts'
import { printJid, returnToShow, type ShownReturn, showAnswer, showDocs, showOutcome } from './show.ts'
import { StatusLine } from './status-line.ts'
import { subset } from './subset.ts'
import { summaryText } from './summary.ts'
import type { SaltWork } from './work.ts'

/** Printed when syndics reported no minion either. The job was sent, so `NOBODY_MATCHED` would be wrong. */
const NOBODY_BELOW = 'No minion of this master, and none that a syndic reported, matched the target.\n'

export async function runJob(work: SaltWork): Promise<number> {
  const { client, opts, streams } = work
  const request = await publishRequest(work)
  const most = Number(str(opts.get('subset') ?? 0)) || 0
  const chosen = most > 0 && !isOptionSet(opts, 'async') ? await subset(work, request, most) : undefined
  const published =
    chosen?.length === 0
      ? undefined
      : await client.publish(chosen ? { ...request, tgt: chosen, tgtType: 'list' } : request)
  if (!published) streams.out(NOBODY_MATCHED)
  if (isOptionSet(opts, 'async')) {
    streams.out(`Executed command with job ID: ${published?.jid ?? 0}\n`)
    return 0
  }
  if (!published) return showOutcome(work, new Map())
  printJid(published.jid, opts, streams)
  return gather(work, published)
}

async function gather(work: SaltWork, published: Published): Promise<number> {
  const { opts, streams } = work
  const isDocs = opts.get('fun') === 'sys.doc'
  const isProgress = option(opts, 'progress')
  const answers: ShownReturn[] = []
  const hints = new JobHints()
  for await (const answer of answersOf(work, published, hints)) {
    answers.push(answer)
    if (isProgress) streams.err(`${answers.length} of ${published.minions.length}\n`)
    else if (!isDocs) await showAnswer(work, answer)
  }
  if (answers.length === 0) {
    streams.err(NOBODY_BELOW)
    return showOutcome(work, new Map())
  }
  if (isDocs) return showDocs(work, new Map<Value, Value>(answers.map(({ id, value }) => [id, value])))
  if (isProgress || (option(opts, 'cli_summary') && option(opts, 'output') === undefined)) {
    streams.out(summaryText(answers, option(opts, 'verbose')))
  }
  await showHints(hints, opts, streams)
  if (answers.every(({ retcode }) => retcode === 0)) return 0
  streams.err('ERROR: Minions returned with non-zero exit code\n')
  return 1
}

async function* answersOf(work: SaltWork, published: Published, hints: JobHints): AsyncGenerator<ShownReturn> {
  const { client, opts, streams } = work
  const status = new StatusLine(streams, published.minions)
  const stop = tellAtInterrupt(published.jid, streams, jobGoesOn(published.jid))
  if (published.reconnecting) streams.err(awaitedText(published.reconnecting))
  let isGone: ((id: string) => boolean) | undefined
  try {
    const onRunning = (ids: ReadonlySet<string>): void => status.runningAre(ids)
    for await (const gathered of client.collect(published, { ...times(opts), onRunning })) {
      status.done(gathered.id)
      if (gathered.reason === 'silent') {
        isGone ??= await gone(opts)
        if (isGone(gathered.id)) gathered.reason = 'gone'
      }
      if (gathered.data) hints.note(gathered.id, gathered.data)
      yield returnToShow(gathered, published.jid)
      status.draw()
    }
  } finally {
    status.close()
    stop()
  }
}

/** Loaded only if a minion did not answer. */
async function gone(opts: Dict): Promise<(id: string) => boolean> {
  const { fileCache } = await import('../../store/mod.ts')
  return goneMinions(opts, fileCache(option(opts, 'cachedir')))
}
