// A visit to the web console in a real Chromium, and its cost for the page.
import { readFileSync } from 'node:fs'
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core'
import { TaskTrace } from './console-trace.ts'

/** Notes the times between frames; runs before the scripts of the page. */
const WATCH = `window.frameGaps = [];
  { let last = performance.now()
    const frame = (now) => { window.frameGaps.push(now - last); last = now; requestAnimationFrame(frame) }
    requestAnimationFrame(frame) }`

/** Scrolls a box from its top to its end and back in steps, one in a frame. */
const scroll = (selector: string): string => `new Promise((done) => {
  const box = document.querySelector(${JSON.stringify(selector)})
  const steps = 240
  let step = 0
  const next = () => {
    const share = step < steps / 2 ? (2 * step) / steps : 2 - (2 * step) / steps
    box.scrollTop = share * (box.scrollHeight - box.clientHeight)
    box.scrollLeft = share * (box.scrollWidth - box.clientWidth)
    if (step++ < steps) requestAnimationFrame(next)
    else done()
  }
  next() })`

/** Resolves to the time when a condition of the page holds, looked at in every frame. */
const when = (condition: string): string => `new Promise((done) => {
  const look = () => (${condition}) ? done(Date.now()) : requestAnimationFrame(look)
  look() })`

export interface Look {
  what: string
  paintMs: number
  taskMs: number
  memoryMiB: number
}

/** The activity of a page during some work. */
export interface Strain {
  /** CPU time of the longest task, and of all tasks. */
  taskMs: number
  allTasksMs: number
  framesPerS: number
  /** The longest time without a frame. */
  gapMs: number
}

export class Visit {
  private readonly browser: Browser
  private readonly page: Page
  private readonly session: CDPSession
  private readonly processes: CDPSession
  private readonly url: string

  static async begin(executablePath: string, url: string): Promise<Visit> {
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } })
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    await page.addInitScript(WATCH)
    await page.goto(`${url}/console/`)
    const login = { username: 'bench', password: 'bench', eauth: 'auto' }
    const status = await page.evaluate(
      `fetch('../v1/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(login))} }).then(({ status }) => status)`,
    )
    if (status !== 200) throw new Error(`The login was answered with ${status}`)
    return new Visit(browser, page, await context.newCDPSession(page), await browser.newBrowserCDPSession(), url)
  }

  private constructor(browser: Browser, page: Page, session: CDPSession, processes: CDPSession, url: string) {
    this.browser = browser
    this.page = page
    this.session = session
    this.processes = processes
    this.url = url
  }

  close(): Promise<void> {
    return this.browser.close()
  }

  /** Open a view in a new document. Return the milliseconds until `seen` was painted. */
  async open(hash: string, seen: string): Promise<number> {
    // another hash alone would keep the page
    await this.page.goto('about:blank')
    await this.page.goto(`${this.url}/console/${hash}`, { waitUntil: 'commit' })
    await this.page.waitForSelector(seen, { state: 'attached' })
    return Number(
      await this.page.evaluate('new Promise((done) => requestAnimationFrame(() => done(performance.now())))'),
    )
  }

  /** Open a view, and measure when `seen` is there, and scrolling through `box`. */
  async look(what: string, hash: string, seen: string, box: string, whole?: string): Promise<Look> {
    const paintMs = await this.open(hash, seen)
    if (whole !== undefined) await this.page.waitForSelector(whole)
    const taskMs = await this.scroll(box)
    return { what, paintMs, taskMs, memoryMiB: await this.memory() }
  }

  /** Scroll through a box. Return the CPU time of the longest task, in milliseconds. */
  async scroll(box: string): Promise<number> {
    const { taskMs } = await this.strained(async () => void (await this.page.evaluate(scroll(box))))
    return taskMs
  }

  /** Wait until a condition of the page holds. Return when it did, in milliseconds since 1970. */
  async until(condition: string): Promise<number> {
    return Number(await this.page.evaluate(when(condition)))
  }

  /** Measure the page during some work. */
  async strained(work: () => Promise<void>): Promise<Strain> {
    const trace = await TaskTrace.begin(this.processes)
    await this.page.evaluate('if (window.frameGaps) window.frameGaps.length = 0')
    await work()
    const gaps = (await this.page.evaluate('window.frameGaps')) as number[]
    const { longestMs, allMs } = await trace.end()
    const time = gaps.reduce((sum, gap) => sum + gap, 0)
    return {
      taskMs: longestMs,
      allTasksMs: allMs,
      framesPerS: time === 0 ? 0 : (1000 * gaps.length) / time,
      gapMs: Math.max(0, ...gaps),
    }
  }

  /** Return the memory of the process that draws the page, without shared memory, in MiB. */
  async memory(): Promise<number> {
    await this.session.send('HeapProfiler.collectGarbage')
    const { processInfo } = await this.processes.send('SystemInfo.getProcessInfo')
    const sizes = processInfo
      .filter(({ type }) => type === 'renderer')
      .map(({ id }) => /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1])
    return Math.max(...sizes.map(Number)) / 1024
  }

  /** The objects of the page's scripts, in MiB. */
  async heap(): Promise<number> {
    await this.session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await this.session.send('Runtime.getHeapUsage')
    return usedSize / 1024 / 1024
  }
}
