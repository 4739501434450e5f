// The growing matrix of a job: pages of rows, then new returns.
import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Problem, read } from '../../api/client.ts'
import { connection, stream } from '../../live/stream.ts'
import { type Column, type Group, type Row, rowOf } from './matrix-rows.ts'

export interface Matrix {
  columns: readonly Column[]
  /** In the order of the returns. The same list grows; `version` changes with it. */
  rows: readonly Row[]
  groups: readonly Group[]
  waiting: number
  /** Whether all returns so far were read. */
  isWhole: boolean
  version: number
}

interface FeedState {
  matrix: Matrix | undefined
  problem: Problem | undefined
}

/** The first answer has fewer rows, so that something is seen at once. */
const FIRST_ROWS = 500
const PAGE_ROWS = 5000

/** The least time between two questions, in milliseconds. */
const PAUSE_MS = 400
/** Polling interval without events, in milliseconds. */
const POLL_MS = 3000

class MatrixFeed {
  readonly state: Signal<FeedState> = signal({ matrix: undefined, problem: undefined })
  private readonly jid: string
  private readonly abort = new AbortController()
  private readonly rows: Row[] = []
  private cursor = ''
  private timer: number | undefined
  private isAsking = false
  private isStale = false
  private readonly poll: number
  private readonly unlisten: () => void

  constructor(jid: string) {
    this.jid = jid
    const tag = `salt/job/${jid}/ret/`
    this.unlisten = stream.listen((events) => {
      if (events.some((event) => event.tag.startsWith(tag))) this.askSoon()
    })
    this.poll = window.setInterval(() => {
      const { matrix } = this.state.peek()
      if (connection.peek() !== 'live' && matrix?.waiting !== 0) this.askSoon()
    }, POLL_MS)
    void this.ask()
  }

  close(): void {
    clearTimeout(this.timer)
    clearInterval(this.poll)
    this.abort.abort()
    this.unlisten()
  }

  retry(): void {
    this.askSoon()
  }

  private askSoon(): void {
    if (this.isAsking) this.isStale = true
    else this.timer ??= window.setTimeout(() => void this.ask(), PAUSE_MS)
  }

  private async ask(): Promise<void> {
    this.timer = undefined
    this.isAsking = true
    this.isStale = false
    try {
      while (await this.page());
    } catch (error) {
      if (this.abort.signal.aborted) return
      const problem = error instanceof Problem ? error : new Problem(0, String(error))
      this.state.value = { ...this.state.peek(), problem }
    }
    this.isAsking = false
    if (this.isStale) this.askSoon()
  }

  /** Read a page of rows. Return whether there are more. */
  private async page(): Promise<boolean> {
    const { data } = await read('/v1/jobs/{jid}/matrix', {
      params: { jid: this.jid },
      query: { limit: this.cursor === '' ? FIRST_ROWS : PAGE_ROWS, ...(this.cursor !== '' && { after: this.cursor }) },
      signal: this.abort.signal,
    })
    this.cursor = data.cursor
    for (const row of data.rows) this.rows.push(rowOf(row))
    const version = (this.state.peek().matrix?.version ?? 0) + 1
    const { states: columns, groups, waiting, more } = data
    const matrix = { columns, rows: this.rows, groups, waiting, isWhole: !more, version }
    this.state.value = { matrix, problem: undefined }
    return more
  }
}

/** Follow the matrix of a job while a component is shown. */
export function useMatrix(jid: string): FeedState & { retry(): void } {
  const feed = useMemo(() => new MatrixFeed(jid), [jid])
  useEffect(() => () => feed.close(), [feed])
  return { ...feed.state.value, retry: () => feed.retry() }
}
