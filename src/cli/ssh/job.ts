// A job from its start to the last return, printed as returns arrive. An interrupt aborts the commands on the targets.
import { option } from '../../config/mod.ts'
import { type Dict, str, textOf, type Value } from '../../data/mod.ts'
import { isOptionSet, targetKind } from '../salt/request.ts'
import { showValue } from '../salt/show.ts'
import { exitCode } from './exit-code.ts'
import { KeyDeployment } from './key-deployment.ts'
import { Returners } from './returners.ts'
import { printSshJid, Shown } from './show.ts'
import { Status } from './status.ts'
import type { RosterEntry, SshJob, SshJobRequest, SshWork } from './work.ts'

/** Exit status of Salt's programs after an interrupt. */
const EX_INTERRUPTED = 1

/** Exit status in shells for a program that an interrupt killed. */
const EX_KILLED = 130

export async function runJobOverSsh(work: SshWork): Promise<number> {
  const { opts, log, streams, access, targets } = work
  const interrupt = new AbortController()
  const stop = onInterrupt(work, interrupt)
  try {
    const entries = await targets.find(work)
    if (entries.length === 0) log('error', 'No matching targets found in roster.')
    const status = new Status(
      streams,
      entries.map(({ id }) => id),
    )
    const parts = {
      opts,
      log,
      stores: access.stores,
      fire: access.fire,
      master: access,
      display: (value: Value) => showValue(work, value, 'nested', 0),
      signal: interrupt.signal,
      progress: (id: string, doing: string) => status.at(id, doing),
    }
    const run = (some: readonly RosterEntry[], request: SshJobRequest): Promise<SshJob> =>
      targets.run(parts, some, request)
    const request = requestOf(opts)
    const job = await run(entries, request)
    if (option(opts, 'verbose')) printSshJid(job.jid, streams)
    const keys = new KeyDeployment(work, entries, (entry) => run([entry], withoutJid(request)))
    const returners = new Returners(work, { jid: job.jid, request })
    const code = await show(work, job, { status, keys, returners })
    return interrupt.signal.aborted ? EX_INTERRUPTED : code
  } finally {
    stop()
  }
}

interface Around {
  status: Status
  keys: KeyDeployment
  returners: Returners
}

async function show(work: SshWork, job: SshJob, { status, keys, returners }: Around): Promise<number> {
  const shown = new Shown(work)
  let code = 0
  try {
    for await (const answer of job.answers) {
      status.done(answer.id)
      const settled = await keys.settle(answer)
      code = Math.max(code, exitCode(settled.retcode))
      await shown.answer(settled)
      await returners.hand(settled)
    }
  } finally {
    status.close()
  }
  await shown.end(code)
  return code
}

function requestOf(opts: Dict): SshJobRequest {
  const words = (opts.get('argv') as Value[]).map(str)
  const isRaw = isOptionSet(opts, 'raw_shell')
  const jid = textOf(opts.get('jid') ?? null)
  return {
    tgt: opts.get('tgt')!,
    tgtType: targetKind(opts),
    fun: words[0]!,
    words: words.slice(1),
    noParse: opts.get('no_parse') as Value[],
    user: option(opts, 'user'),
    ...(isRaw && { raw: words.join(' ') }),
    ...(jid !== undefined && { jid }),
  }
}

/** A second try is a separate job. */
function withoutJid({ jid: _, ...rest }: SshJobRequest): SshJobRequest {
  return rest
}

/** The first interrupt aborts the commands on the targets, the second ends this program at once. */
function onInterrupt({ streams }: SshWork, interrupt: AbortController): () => void {
  const tell = (): void => {
    if (interrupt.signal.aborted) process.exit(EX_KILLED)
    streams.err('\nExiting gracefully on Ctrl-c: ending what runs on the targets\n')
    interrupt.abort()
  }
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.on(signal, tell)
  return () => {
    for (const signal of signals) process.off(signal, tell)
  }
}
