// A master with minions, work of all kinds behind it, and the console in a real Chromium.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { ClientSite } from '../api/client-site.ts'
import { PATIENCE_SECONDS, until } from '../until.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Whether there is a browser; the tests of pages are skipped without one. */
export const hasBrowser = existsSync(CHROMIUM)

if (!hasBrowser)
  process.stderr.write('There is no Chromium (Debian package chromium): the tests of the console are skipped\n')

/** The folder for pictures of pages, where the environment names one. */
const SHOTS = process.env['CONSOLE_SHOTS']

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const minion = (role: string, more = {}) => ({
  grains: { roles: [role], datacenter: 'ams' },
  schedule: { hourly: { function: 'test.ping', hours: 1, enabled: true } },
  beacons: { load: [{ averages: { '1m': [0, 1000] } }, { interval: 3600 }] },
  mine_functions: { 'test.ping': [] },
  ...more,
})

const FILES = {
  'srv/salt/top.sls': "base:\n  'web*':\n    - web\n  'db*':\n    - db\n",
  'srv/salt/web/init.sls': [
    'welcome page:',
    '  file.managed:',
    '    - name: <ROOT>/{{ grains.id }}/index.html',
    '    - makedirs: True',
    '    - contents: |',
    '        Welcome to {{ pillar.get("site", "nowhere") }}',
    '        This is {{ grains.id }}.',
    'say hello:',
    '  test.show_notification:',
    '    - text: hello',
    '    - require:',
    '      - file: welcome page',
    '',
  ].join('\n'),
  'srv/salt/db.sls': [
    'data folder:',
    '  file.directory:',
    '    - name: <ROOT>/{{ grains.id }}/data',
    '    - makedirs: True',
    'broken step:',
    '  test.fail_without_changes:',
    '    - comment: The disk is too small',
    'after it:',
    '  test.nop:',
    '    - require:',
    '      - test: broken step',
    '',
  ].join('\n'),
  'srv/salt/orch/deploy.sls': [
    'ask all:',
    '  salt.function:',
    '    - name: test.ping',
    "    - tgt: '*'",
    'set up web:',
    '  salt.state:',
    "    - tgt: 'web*'",
    '    - sls: web',
    '    - require:',
    '      - salt: ask all',
    'set up db:',
    '  salt.state:',
    "    - tgt: 'db*'",
    '    - sls: db',
    '    - require:',
    '      - salt: ask all',
    'announce:',
    '  salt.function:',
    '    - name: test.echo',
    "    - tgt: 'web1'",
    '    - arg: [done]',
    '    - require:',
    '      - salt: set up web',
    '      - salt: set up db',
    '',
  ].join('\n'),
  'srv/reactor/deploy.sls': 'ping web:\n  local.test.ping:\n    - tgt: web*\n',
  'srv/reactor/broken.sls': 'nothing: {{ data["data"]["missing"]["field"] }}\n',
  'srv/pillar/top.sls': "base:\n  '*':\n    - common\n  'db*':\n    - db\n",
  'srv/pillar/common.sls': 'site: Utrecht\nshop:\n  workers: 4\n  colour: blue\n',
  'srv/pillar/db.sls': 'database:\n  password: s3cret-of-the-database\n  port: 5432\n',
}

/** The options of the site of all tests of the console. */
export const SITE = {
  minions: { web1: minion('web'), web2: minion('web'), db1: minion('db') },
  waiting: ['new1', 'new2'],
  master: {
    file_roots: { base: ['<ROOT>/srv/salt'] },
    nodegroups: { webs: 'G@roles:web', bases: 'L@db1' },
    reactor: [
      { 'deploy/done': ['<ROOT>/srv/reactor/deploy.sls'] },
      { 'deploy/broken': ['<ROOT>/srv/reactor/broken.sls'] },
    ],
    schedule: { tidy: { function: 'manage.up', hours: 24 } },
    saltgui_templates: { greet: { description: 'Say something', target: 'web*', command: 'test.echo hello' } },
    api_motd: 'This is a test site.\nBe kind.',
    external_auth: {
      file: {
        '^filename': '<ROOT>/users.txt',
        admin: ['.*', '@runner', '@wheel', '@jobs'],
        ops: [{ 'web*': ['test.*', 'grains.item'] }],
      },
    },
  },
  files: FILES,
}

/** Jobs, events, reactions and runs, so that each view has something to show. */
export async function seed(site: ClientSite): Promise<void> {
  const { cluster } = site.stage
  await cluster.run("salt '*' test.ping")
  await cluster.run("salt 'web*' state.apply")
  await cluster.run("salt '*' state.apply")
  await cluster.run('salt \'web*\' state.apply test=True pillar=\'{"site": "Delft"}\'')
  await cluster.run("salt '*' cmd.run 'uname -a'")
  await cluster.run('salt-run state.orchestrate orch.deploy')
  await cluster.run('salt-run event.send deploy/done \'{"version": "1.4.2"}\'')
  await cluster.run("salt-run event.send deploy/broken '{}'")
}

export interface Look {
  scheme?: 'light' | 'dark'
  width?: number
  height?: number
}

/** A browser in which pages of the console are opened. */
export class Visitor {
  private readonly browser: Browser
  private readonly url: string
  /** Errors of browsers: errors of scripts, refused resources, failed requests. */
  readonly complaints: string[] = []
  /** Answers that a test expects to fail, by a pattern of `status method url`. */
  readonly expected: RegExp[] = []

  static async open(url: string): Promise<Visitor> {
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
    })
    return new Visitor(browser, url)
  }

  private constructor(browser: Browser, url: string) {
    this.browser = browser
    this.url = url
  }

  /** Open a page without a login. */
  async page({ scheme = 'light', width = 1280, height = 800 }: Look = {}): Promise<Page> {
    const context: BrowserContext = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_SECONDS * 1000)
    page.on('pageerror', (error) => this.complain(`exception: ${error.message}`))
    page.on('console', (message) => {
      // failed answers are reported below, with their method
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
        this.complain(`console: ${message.text()}`)
    })
    page.on('response', (response) => {
      if (response.status() >= 400)
        this.complain(`${response.status()} ${response.request().method()} ${response.url()}`)
    })
    return page
  }

  private complain(text: string): void {
    if (!this.expected.some((pattern) => pattern.test(text))) this.complaints.push(text)
  }

  /** Open the console as a user who logs in through the form. */
  async logIn(user: 'admin' | 'ops' = 'admin', look: Look = {}): Promise<Page> {
    const page = await this.page(look)
    // the first question, whether there is a session, is answered with 401
    this.expected.push(/401 GET .*\/v1\/session/)
    await page.goto(`${this.url}/console/`)
    await page.getByLabel('User').fill(user)
    await page.getByLabel('Password').fill(`${user}pw`)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.locator('nav.side').waitFor({ state: 'attached' })
    return page
  }

  /** Go to a view by its address behind `#`, such as `/minions?q=web`, and wait until it has loaded. */
  async go(page: Page, hash: string): Promise<void> {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    await settled(page)
  }

  close(): Promise<void> {
    return this.browser.close()
  }
}

/** Wait until nothing on the page is loading any more. */
export async function settled(page: Page): Promise<void> {
  // the policy of the page forbids conditions that are texts of scripts
  await page.locator('.view').first().waitFor()
  await until('a page that loads nothing', async () => (await page.locator('[aria-busy=true]').count()) === 0)
}

/** Keep a picture of a page, where the environment names a folder for it. */
export async function picture(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return
  mkdirSync(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`) })
}

interface Violation {
  id: string
  help: string
  nodes: { html: string; failureSummary: string }[]
}

/** Return axe's findings about a page, one line for each rule. */
export async function axe(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const violations: Violation[] = await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  )
  return violations.map(({ id, help, nodes }) => {
    const places = nodes
      .slice(0, 3)
      .map(({ html, failureSummary }) => `${html.slice(0, 160)} (${failureSummary.replaceAll('\n', ' ')})`)
    return `${id}: ${help}: ${places.join(' | ')}`
  })
}
