// The tasks of a page's main thread, from the trace of Chromium. Each has its CPU time beside its duration: on a busy machine a task
// lasts longer than it computes.
import type { CDPSession } from 'playwright-core'

const CATEGORY = 'disabled-by-default-devtools.timeline'

interface TraceEvent {
  pid: number
  tid: number
  name: string
  /** Microseconds of the clock, and of the CPU. */
  dur?: number
  tdur?: number
  args?: { name?: string }
}

export interface Tasks {
  /** Milliseconds of CPU time of the longest task, and of all. */
  longestMs: number
  allMs: number
}

export class TaskTrace {
  private readonly session: CDPSession

  static async begin(session: CDPSession): Promise<TaskTrace> {
    await session.send('Tracing.start', {
      transferMode: 'ReturnAsStream',
      traceConfig: {
        recordMode: 'recordAsMuchAsPossible',
        includedCategories: [CATEGORY],
        excludedCategories: ['*'],
      },
    })
    return new TaskTrace(session)
  }

  private constructor(session: CDPSession) {
    this.session = session
  }

  async end(): Promise<Tasks> {
    const complete = new Promise<string | undefined>((done) =>
      this.session.once('Tracing.tracingComplete', ({ stream }) => done(stream)),
    )
    await this.session.send('Tracing.end')
    const { traceEvents } = JSON.parse(await this.text(await complete)) as { traceEvents: TraceEvent[] }
    const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}/${tid}`
    const isMain = ({ name, args }: TraceEvent): boolean => name === 'thread_name' && args?.name === 'CrRendererMain'
    const mains = new Set(traceEvents.filter(isMain).map(threadOf))
    let [longest, all] = [0, 0]
    for (const event of traceEvents) {
      if (event.name !== 'RunTask' || !mains.has(threadOf(event))) continue
      longest = Math.max(longest, event.tdur ?? 0)
      all += event.tdur ?? 0
    }
    return { longestMs: longest / 1000, allMs: all / 1000 }
  }

  private async text(handle: string | undefined): Promise<string> {
    if (handle === undefined) throw new Error('Chromium gave no trace')
    const parts: string[] = []
    for (let isEnd = false; !isEnd; ) {
      const { data, base64Encoded, eof } = await this.session.send('IO.read', { handle })
      parts.push(base64Encoded ? Buffer.from(data, 'base64').toString() : data)
      isEnd = eof
    }
    await this.session.send('IO.close', { handle })
    return parts.join('')
  }
}
