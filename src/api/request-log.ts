// The files of `log_access_file` and `log_error_file`. Lines are gathered for a moment and appended by opening the file anew, so that a
// file that was renamed by log rotation is left alone.
import { appendFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Log, logText, shownText, toError, wrapLog } from '../base/mod.ts'
import { HIDDEN } from '../data/mod.ts'

const GATHER_MS = 500

/** How many lines may wait while the disk refuses them. */
const MOST_LINES = 10_000

export class LineFile {
  private readonly path: string
  private readonly log: Log
  private lines: string[] = []
  private timer: NodeJS.Timeout | undefined
  private isTold = false

  constructor(path: string, log: Log) {
    this.path = path
    this.log = log
  }

  add(line: string): void {
    if (this.lines.length >= MOST_LINES) return
    this.lines.push(`${line}\n`)
    this.timer ??= setTimeout(() => void this.write(), GATHER_MS)
  }

  async close(): Promise<void> {
    clearTimeout(this.timer)
    await this.write()
  }

  private async write(): Promise<void> {
    this.timer = undefined
    const text = this.lines.join('')
    this.lines = []
    if (text === '') return
    try {
      await appendFile(this.path, text, { mode: 0o640 })
      this.isTold = false
    } catch (error) {
      if (!this.isTold) this.log('error', `Cannot write the log of the API: ${toError(error).message}`)
      this.isTold = true
    }
  }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const two = (number: number): string => String(number).padStart(2, '0')

/** `[16/Nov/2026:16:58:47]`, in local time. */
const timeText = (time: Date): string =>
  `[${two(time.getDate())}/${MONTHS[time.getMonth()]}/${time.getFullYear()}:${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}]`

const quoted = (text: string): string => shownText(text.slice(0, 2000)).replaceAll('"', '\\"')

/** Return a path for the log, without tokens, which may be in the path (`/ws/<token>`) and in the query. */
const pathText = (url: string): string => quoted(url.split('?')[0]!.replace(/[0-9a-f]{32,}/gi, HIDDEN))

/** Return the line of a request, in the combined format of web servers. Queries and tokens are left out. */
export function accessLine(request: IncomingMessage, response: ServerResponse): string {
  const address = (request.socket.remoteAddress ?? '-').replace(/^::ffff:/, '')
  const path = pathText(request.url ?? '')
  const line = `${request.method} ${path} HTTP/${request.httpVersion}`
  const length = response.getHeader('content-length') ?? ''
  const [referer, agent] = [request.headers.referer ?? '', request.headers['user-agent'] ?? '']
  return `${address} - - ${timeText(new Date())} "${line}" ${response.statusCode} ${length} "${pathText(referer)}" "${quoted(agent)}"`
}

/** Return a log that writes errors to a file as well. */
export const withErrorFile = (log: Log, file: LineFile): Log =>
  wrapLog(log, (inner) => (level, text) => {
    inner(level, text)
    if (level === 'error' || level === 'critical')
      file.add(`${timeText(new Date())} ${level.toUpperCase()} ${logText(text)}`)
  })
