// The web console with many minions in a real Chromium: a job of 10,000 minions with 100 states, and the list of the minions.
// Measured are the first paint of the results after the page was asked for, the longest task while they are scrolled through, and the
// memory of the page. The first look at a job makes the API read all returns; the second one has them at hand.
//   npm run -s bench -- console [--minions 10000] [--states 100] [--chromium /usr/bin/chromium]
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core'
import { freePort } from '../test/free-port.ts'
import { JID, minionIds, writeJob, writeKeys } from './console-store.ts'
import { NoPeerError } from './peer.ts'
import type { Bench } from './run.ts'

const GOALS = { paintMs: 1000, taskMs: 100, memoryMiB: 300 }

const START_S = 120

/** A master with its API, over folders that were filled before. */
class ConsoleMaster {
  readonly directory = mkdtempSync(join(tmpdir(), 'brine-bench-'))
  private child: ChildProcess | undefined
  private port = 0

  path(...parts: string[]): string {
    return join(this.directory, ...parts)
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async start(root: string): Promise<void> {
    this.port = await freePort()
    mkdirSync(this.path('etc'), { recursive: true })
    const options = {
      root_dir: this.directory,
      pki_dir: this.path('pki'),
      cachedir: this.path('cache'),
      sock_dir: this.path('sock'),
      log_file: this.path('master.log'),
      log_level: 'error',
      interface: '127.0.0.1',
      ret_port: await freePort(),
      publish_port: await freePort(),
      keep_jobs_seconds: 1_000_000_000,
      external_auth: { auto: { bench: ['.*', '@runner', '@wheel', '@jobs'] } },
      netapi_enable_clients: ['local', 'local_async', 'runner', 'wheel'],
      rest_cherrypy: { host: '127.0.0.1', port: this.port, disable_ssl: true },
      api_request_rate: 0,
    }
    writeFileSync(this.path('etc', 'master'), JSON.stringify(options))
    const output = openSync(this.path('out'), 'a')
    const program = join(root, process.env['BRINE_DIST'] ?? 'dist', 'salt-master.js')
    this.child = spawn(process.execPath, [program, '-c', this.path('etc')], { stdio: ['ignore', output, output] })
    for (let tries = 0; !(await this.answers()); tries++) {
      if (tries > START_S * 5) throw new Error(`The master does not answer:\n${readFileSync(this.path('out'), 'utf8')}`)
      await sleep(200)
    }
  }

  private answers(): Promise<boolean> {
    return fetch(`${this.url}/console/`).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  async stop(): Promise<void> {
    const { child } = this
    if (child && child.exitCode === null) {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill()
      await ended
    }
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** Tells of tasks of the page that took long; runs before the scripts of the page. */
const WATCH = `window.longTasks = []; new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longTasks.push(duration) }).observe({ entryTypes: ['longtask'] })`

/** Scrolls a box from its top to its end and back in steps, one in a frame. */
const scroll = (selector: string): string => `new Promise((done) => {
  const box = document.querySelector(${JSON.stringify(selector)})
  const steps = 240
  let step = 0
  window.longTasks.length = 0
  const next = () => {
    const share = step < steps / 2 ? (2 * step) / steps : 2 - (2 * step) / steps
    box.scrollTop = share * (box.scrollHeight - box.clientHeight)
    box.scrollLeft = share * (box.scrollWidth - box.clientWidth)
    if (step++ < steps) requestAnimationFrame(next)
    else setTimeout(() => done(Math.max(0, ...window.longTasks)), 200)
  }
  next() })`

interface Look {
  what: string
  paintMs: number
  taskMs: number
  memoryMiB: number
}

class Visit {
  private readonly page: Page
  private readonly session: CDPSession
  private readonly processes: CDPSession
  private readonly url: string

  static async begin(browser: Browser, url: string): Promise<Visit> {
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
    return new Visit(page, await context.newCDPSession(page), await browser.newBrowserCDPSession(), url)
  }

  private constructor(page: Page, session: CDPSession, processes: CDPSession, url: string) {
    this.page = page
    this.session = session
    this.processes = processes
    this.url = url
  }

  /** Open a view, and measure when `seen` is there, and scrolling through `box`. */
  async look(what: string, hash: string, seen: string, box: string, whole?: string): Promise<Look> {
    // a new document: another hash alone would keep the page
    await this.page.goto('about:blank')
    await this.page.goto(`${this.url}/console/${hash}`, { waitUntil: 'commit' })
    await this.page.waitForSelector(seen, { state: 'attached' })
    const paintMs = Number(
      await this.page.evaluate('new Promise((done) => requestAnimationFrame(() => done(performance.now())))'),
    )
    if (whole !== undefined) await this.page.waitForSelector(whole)
    const taskMs = Number(await this.page.evaluate(scroll(box)))
    return { what, paintMs, taskMs, memoryMiB: await this.memory() }
  }

  /** The memory of the process that draws the page, without what it shares with others, in MiB. */
  private async memory(): Promise<number> {
    await this.session.send('HeapProfiler.collectGarbage')
    const { processInfo } = await this.processes.send('SystemInfo.getProcessInfo')
    const sizes = processInfo
      .filter(({ type }) => type === 'renderer')
      .map(({ id }) => /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1])
    return Math.max(...sizes.map(Number)) / 1024
  }
}

function print(looks: readonly Look[]): boolean {
  let isGood = true
  const cell = (value: number, goal: number): string => {
    if (value > goal) isGood = false
    return `${value.toFixed(0)}${value > goal ? ' (missed)' : ''}`.padStart(16)
  }
  process.stdout.write(
    `${''.padEnd(34)}${'first paint, ms'.padStart(16)}${'longest task, ms'.padStart(18)}${'memory, MiB'.padStart(16)}\n`,
  )
  for (const { what, paintMs, taskMs, memoryMiB } of looks)
    process.stdout.write(
      `${what.padEnd(34)}${cell(paintMs, GOALS.paintMs)}  ${cell(taskMs, GOALS.taskMs)}${cell(memoryMiB, GOALS.memoryMiB)}\n`,
    )
  process.stdout.write(`goals: ${GOALS.paintMs} ms, ${GOALS.taskMs} ms, ${GOALS.memoryMiB} MiB\n`)
  return isGood
}

const consoleBench: Bench = async ({ root, args }) => {
  const { values } = parseArgs({
    args,
    options: {
      minions: { type: 'string', default: '10000' },
      states: { type: 'string', default: '100' },
      chromium: { type: 'string', default: process.env['CHROMIUM'] ?? '/usr/bin/chromium' },
    },
  })
  if (!existsSync(values.chromium))
    throw new NoPeerError(`There is no Chromium at ${values.chromium}: name it with CHROMIUM`)
  const master = new ConsoleMaster()
  let browser: Browser | undefined
  try {
    const ids = minionIds(Number(values.minions))
    writeKeys(master.path('pki'), ids)
    await writeJob(master.path('cache'), ids, Number(values.states))
    await master.start(root)
    browser = await chromium.launch({ executablePath: values.chromium, args: ['--no-sandbox', '--disable-gpu'] })
    const visit = await Visit.begin(browser, master.url)
    const job = `#/jobs/${JID}?rows=minions`
    const whole = `.matrix-box[aria-label*="${ids.length} rows"]`
    const looks = [
      await visit.look('job, first look', job, '.matrix canvas', '.matrix-box', whole),
      await visit.look('job, second look', job, '.matrix canvas', '.matrix-box', whole),
      await visit.look('job, its minions', `#/jobs/${JID}?tab=minions`, '.table .rows [role=row]', '.table'),
      await visit.look('minions', '#/minions', '.table .rows [role=row]', '.table'),
    ]
    return print(looks)
  } finally {
    await browser?.close()
    await master.stop()
  }
}

export default consoleBench satisfies Bench
