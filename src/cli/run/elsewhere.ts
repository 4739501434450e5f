// Runs by the master itself: for users of external authentication, and with `--async`.
import type { Log } from '../../base/mod.ts'
import { BusClient, type BusEvent, masterBusPaths } from '../../bus/mod.ts'
import { LocalClient, localKey } from '../../client/mod.ts'
import { type Dict, isDict, str, type Value } from '../../data/mod.ts'

export interface RemoteRun {
  fun: string
  args: readonly Value[]
  kwargs: ReadonlyMap<string, Value>
  /** In place of the key of the user of this program. */
  credentials: Dict
}

/** The tag of a run that the master began, or why it did not. */
export type Begun = { tag: string } | { refusal: string }

async function begin(client: LocalClient, opts: Dict, { fun, args, kwargs, credentials }: RemoteRun): Promise<Begun> {
  const { user, key } = localKey(opts)
  const proof: Array<[Value, Value]> =
    credentials.size > 0
      ? [...credentials]
      : [
          ['key', key],
          ['user', user],
        ]
  const load: Dict = new Map<Value, Value>([
    ['cmd', 'runner'],
    ['fun', fun],
    ['arg', [...args]],
    ['kwarg', new Map<Value, Value>(kwargs)],
    ...proof,
  ])
  const answer = await client.command(load)
  const error = isDict(answer) ? answer.get('error') : undefined
  if (error !== undefined && isDict(error)) return { refusal: str(error.get('message') ?? '') }
  return { tag: str((isDict(answer) ? answer.get('tag') : undefined) ?? '') }
}

/** Begins a run and does not wait for it. */
export async function beginElsewhere(opts: Dict, log: Log, run: RemoteRun): Promise<Begun> {
  const client = await LocalClient.open(opts, log)
  try {
    return await begin(client, opts, run)
  } finally {
    client.close()
  }
}

/** Only the master's event marks the end of a run; Salt's bus has no origins. */
const isEnd = ({ tag, origin }: BusEvent, run: string): boolean =>
  tag === `${run}/ret` && (origin.kind === 'master' || origin.kind === 'unknown')

/** Has the master run it, and gives the event of its end. */
export async function runElsewhere(opts: Dict, log: Log, run: RemoteRun): Promise<Dict | { refusal: string }> {
  const bus = await BusClient.open({ paths: masterBusPaths(opts), filter: (tag) => tag.startsWith('salt/run/') })
  const client = await LocalClient.open(opts, log)
  try {
    const begun = await begin(client, opts, run)
    if ('refusal' in begun) return begun
    while (bus.isOpen) {
      const event = await bus.next(60)
      if (event && isEnd(event, begun.tag)) return event.data
    }
    return { refusal: 'The master went away before the run ended.' }
  } finally {
    bus.close()
    client.close()
  }
}
