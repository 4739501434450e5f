// Updates of the remotes of a backend: on request, by interval, or once in a program with local files. A failing remote
// keeps serving the last fetched files; its failure and its recovery are reported once each.
import { type Log, toError, withoutLogin } from '../base/mod.ts'
import { placeOfOption } from '../config/mod.ts'
import { type Dict, dictFrom, type Value } from '../data/mod.ts'
import type { UpdateReport, UpdateRequest } from './backend.ts'

/** The status of the last fetches; times in seconds since the epoch. */
export interface RemoteStatus {
  /** When the remote last answered. */
  checkedAt: number | null
  /** When something last changed. */
  changedAt: number | null
  /** Why the last attempt failed, and since when all have. */
  error: { text: string; since: number; at: number } | null
}

export interface UpdatedRemote {
  /** The folder of its files, which identifies it. */
  folder: string
  /** Its configured name. */
  id: string
  /** The same without a login. */
  shownId: string
  name: string | undefined
  /** Seconds between updates; 0 for updates on request only. */
  interval: number
  status(): RemoteStatus
  /** Whether it is locked; logs the lock. */
  isHeldBack(): boolean
  /** Fetch, and return whether something changed. */
  update(): Promise<boolean>
  /** Return the log text for a failed update; undefined for an error that is not the remote's. */
  failure(error: unknown): string | undefined
}

/** Remotes that are fetched at the same time. */
const AT_ONCE = 4

type News = readonly [string, Dict]

/** When this process last tried each remote, by its folder, in milliseconds; shared by all file servers on a folder. */
const tried = new Map<string, number>()

export class RemoteUpdates {
  private readonly backend: string
  private readonly opts: Dict
  private readonly remotes: readonly UpdatedRemote[]
  private readonly log: Log
  private readonly note: () => boolean

  /** `note` stores the list of remotes, and returns whether one was removed. */
  constructor(backend: string, opts: Dict, remotes: readonly UpdatedRemote[], log: Log, note: () => boolean) {
    this.backend = backend
    this.opts = opts
    this.remotes = remotes
    this.log = log
    this.note = note
  }

  async update(wish: UpdateRequest): Promise<UpdateReport> {
    const chosen = this.chosen(wish)
    const isOtherMap = this.note()
    const { isChanged, events } = await this.fetchAll(chosen, wish.isQuiet === true)
    const data = dictFrom({ changed: isChanged || isOtherMap, backend: this.backend })
    return { data, events }
  }

  /**
   * Update each remote at most once per process. Like Salt, a minion without a master updates in every run, unless an
   * interval is configured; beside a master, which keeps the mirrors recent, only remotes older than the interval are
   * updated.
   */
  async refresh(): Promise<void> {
    const option = `${this.backend}_update_interval`
    const isPaced = this.opts.get('__role') === 'master' || placeOfOption(this.opts, option) !== ''
    const due = this.remotes.filter((remote) => {
      const { checkedAt, error } = remote.status()
      const last = Math.max(checkedAt ?? 0, error?.at ?? 0)
      if (last === 0) return true
      if (remote.interval === 0) return false
      if (!isPaced && !tried.has(remote.folder)) return true
      return Date.now() / 1000 - last >= remote.interval
    })
    if (due.length === 0) return
    this.note()
    await this.fetchAll(due, false)
  }

  private chosen({ remotes: names, isDue }: UpdateRequest): readonly UpdatedRemote[] {
    if (isDue) return this.remotes.filter(({ folder, interval }) => isOver(folder, interval))
    if (names === undefined) return this.remotes
    const isNamed = (remote: UpdatedRemote, name: string): boolean =>
      remote.name === name || remote.id === name || remote.shownId === name
    for (const name of names) {
      if (!this.remotes.some((remote) => isNamed(remote, name)))
        this.log('warning', `There is no ${this.backend} remote '${withoutLogin(name)}' to update`)
    }
    return this.remotes.filter((remote) => names.some((name) => isNamed(remote, name)))
  }

  private async fetchAll(
    remotes: readonly UpdatedRemote[],
    isQuiet: boolean,
  ): Promise<{ isChanged: boolean; events: News[] }> {
    const left = [...remotes]
    const events: News[] = []
    let isChanged = false
    const work = async (): Promise<void> => {
      for (let next = left.shift(); next; next = left.shift()) {
        if (await this.fetch(next, isQuiet, events)) isChanged = true
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return { isChanged, events }
  }

  private async fetch(remote: UpdatedRemote, isQuiet: boolean, events: News[]): Promise<boolean> {
    if (remote.isHeldBack()) return false
    tried.set(remote.folder, performance.now())
    const before = remote.status().error
    try {
      const isChanged = await remote.update()
      if (before !== null) {
        this.log('info', `The ${this.backend} remote '${remote.shownId}' works again`)
        events.push(['recovered', this.news(remote)])
      }
      return isChanged
    } catch (error) {
      const said = remote.failure(error)
      if (said === undefined) throw error
      if (before === null || !isQuiet) this.log('error', said)
      if (before === null) events.push(['failed', this.news(remote).set('error', toError(error).message)])
      return false
    }
  }

  private news({ shownId, name }: UpdatedRemote): Dict {
    return dictFrom({ backend: this.backend, remote: shownId, name: name ?? null })
  }
}

const isOver = (folder: string, interval: number): boolean => {
  const last = tried.get(folder)
  // a timer may be a little early
  return interval > 0 && (last === undefined || performance.now() - last >= interval * 1000 - 500)
}

const timeText = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString()

/** Return the entry of a remote for `fileserver.status`. */
export function remoteStatus(remote: UpdatedRemote, refs: number): Dict {
  const { checkedAt, changedAt, error } = remote.status()
  return new Map<Value, Value>([
    ['name', remote.name ?? null],
    ['url', remote.shownId],
    ['last_success', timeText(checkedAt)],
    ['last_change', timeText(changedAt)],
    ['last_error', error === null ? null : error.text],
    ['failing_since', error === null ? null : timeText(error.since)],
    ['refs', refs],
    ['update_interval', remote.interval],
  ])
}
