// SaltGUI in a real Chromium, served by the REST API itself: SALTGUI_DIR names a checkout of it. A person's way through it: log in,
// see each page, run commands, change keys, watch events and log out. SALTGUI_SHOTS names a folder for pictures of the pages.
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { PATIENCE_SECONDS, until } from '../until.ts'
import { ClientSite } from './client-site.ts'

const DIRECTORY = process.env['SALTGUI_DIR']

const SHOTS = process.env['SALTGUI_SHOTS']

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

const canRun = DIRECTORY !== undefined && existsSync(CHROMIUM)

if (!canRun)
  process.stderr.write('SALTGUI_DIR names no checkout of SaltGUI, or there is no Chromium: its test is skipped\n')

/** The sign on the button that shows events. */
const PLAY = '\u2BC8'

/** A text in which nothing is waited for. */
const LOADED = /^(?!.*\bloading)/is

/** Files that a site may leave out, for which the browser tells that they are missing. */
const OPTIONAL = /\/static\/(minions\.txt|salt-motd\.(txt|html))$/

const files = mkdtempSync(join(tmpdir(), 'brine-saltgui-'))

const schedule = { hourly: { function: 'test.ping', hours: 1, enabled: true } }
const beacons = { load: [{ averages: { '1m': [0, 1000] } }, { interval: 3600 }] }
const minion = (role: string) => ({ grains: { roles: [role] }, schedule, beacons, mine_functions: { 'test.ping': [] } })

const site = new ClientSite({
  minions: { web1: minion('web'), web2: minion('web'), db1: minion('db') },
  waiting: ['new1', 'new2'],
  api: { app: join(files, 'index.html'), static: join(files, 'static'), static_path: '/static', collect_stats: true },
  master: {
    file_roots: { base: ['<ROOT>/srv/salt'], more: ['<ROOT>/srv/more'] },
    nodegroups: { webs: 'G@roles:web', bases: 'L@db1' },
    reactor: [{ 'more/event/*': ['/srv/reactor/more.sls'] }],
    saltgui_templates: { greet: { description: 'Say something', target: 'web*', command: 'test.echo hello' } },
  },
  files: {
    // SaltGUI sorts orchestrations wrongly where there is more than one file
    'srv/salt/deploy.sls': 'ask them:\n  salt.function:\n    - name: test.ping\n    - tgt: web*\n',
    'srv/more/motd.sls': 'nothing to do:\n  test.nop\n',
    'srv/pillar/top.sls': "base:\n  '*':\n    - common\n",
    'srv/pillar/common.sls': 'city: Utrecht\nrole_of_site: tests\n',
  },
})

/** The content of each page: its place, and required words. */
const PAGES: ReadonlyArray<{ name: string; words: RegExp[]; parameters?: string }> = [
  { name: 'minions', words: [/web1/, /web2/, /db1/, /300[78]\.\d/, /3 minions, 2 unaccepted keys/] },
  { name: 'keys', words: [/web1\s+accepted/, /new1\s+unaccepted/, /[0-9a-f]{2}(:[0-9a-f]{2}){15}/, /3 accepted keys/] },
  { name: 'grains', words: [/web1/, /web2/, /db1/, /\d\d grains/] },
  { name: 'grains-minion', words: [/Grains on web1/, /kernel/, /"web"/], parameters: 'minionid=web1' },
  { name: 'pillars', words: [/web1/, /db1/, /2 pillars/] },
  { name: 'pillars-minion', words: [/Pillars on web1/, /city/, /role_of_site/], parameters: 'minionid=web1' },
  { name: 'mine', words: [/web1/, /db1/, /1 function/] },
  { name: 'mine-minion', words: [/Mine on web1/, /test\.ping[\s\S]*true/], parameters: 'minionid=web1' },
  { name: 'beacons', words: [/web1/, /1 beacon/] },
  { name: 'beacons-minion', words: [/Beacons on web1/, /\bload\b/, /averages/], parameters: 'minionid=web1' },
  { name: 'schedules', words: [/web1/, /1 schedule/] },
  { name: 'schedules-minion', words: [/Schedules on web1/, /hourly/, /test\.ping/], parameters: 'minionid=web1' },
  { name: 'nodegroups', words: [/bases[\s\S]*db1[\s\S]*webs[\s\S]*web1/] },
  { name: 'jobs', words: [/test\.echo/, /state\.apply/, /\d{20}/] },
  { name: 'highstate', words: [/web1/, /db1/, /state\.apply/] },
  { name: 'templates', words: [/greet/, /Say something/, /test\.echo hello/] },
  { name: 'events', words: [/Recent Events/] },
  { name: 'reactors', words: [/more\/event\/\*/, /\/srv\/reactor\/more\.sls/] },
  { name: 'orchestrations', words: [/deploy/, /ask them/, /1 orchestration/] },
  { name: 'options', words: [/session_user:?\s+admin/, /webs: 'G@roles:web'/, /Stats/, /CherryPy Applications/] },
  { name: 'issues', words: [/Key for minion 'new1' is unaccepted/] },
  { name: 'quickview', words: [/Quick View/, /os-debian\.png/] },
]

describe.skipIf(!canRun)('SaltGUI', () => {
  let browser: Browser
  let page: Page
  /** Errors reported by the browser. */
  const complaints: string[] = []

  beforeAll(async () => {
    cpSync(join(DIRECTORY!, 'saltgui'), files, { recursive: true })
    writeFileSync(join(files, 'static/salt-auth.txt'), 'CLEAR\nfile\n')
    await site.open()
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
    page.setDefaultTimeout(PATIENCE_SECONDS * 1000)
    page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`))
    page.on('console', (message) => {
      const { url } = message.location()
      if (message.type() === 'error' && !OPTIONAL.test(url)) complaints.push(`console: ${message.text()} ${url}`)
    })
    page.on('response', (response) => {
      if (response.status() >= 400 && !OPTIONAL.test(response.url())) {
        complaints.push(`${response.status()} ${response.request().method()} ${response.url()}`)
      }
    })
  })

  afterEach(() => {
    expect(complaints.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await site.close()
    rmSync(files, { recursive: true, force: true })
  })

  const visible = (part: string): Promise<string> =>
    // biome-ignore lint/performance/useDomNodeTextContent: what is hidden does not count
    page.locator(part).innerText()

  /** Wait until a part of the page shows some words. */
  const shows = async (part: string, words: RegExp): Promise<string> => {
    let text = ''
    try {
      await until(`${words} in ${part}`, async () => {
        text = await visible(part)
        return words.test(text)
      })
    } catch (error) {
      throw new Error(`${error}\nbut there is\n${text}`)
    }
    return text
  }

  const picture = async (name: string): Promise<void> => {
    if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `${name}.png`) })
  }

  const visit = async (name: string, parameters = ''): Promise<void> => {
    await page.goto(`${site.url}/${parameters && `?${parameters}`}#${name}`)
    await page.reload()
    await page.locator(`#page-${name}`).waitFor({ state: 'visible' })
  }

  const logIn = async (password: string): Promise<void> => {
    await page.locator('#username').fill('admin')
    await page.locator('#password').fill(password)
    await page.locator('#login-button').click()
  }

  /** Run the text in the command box and return its result. */
  const submit = async (words: RegExp): Promise<string> => {
    await page.locator('#run-command').click()
    return shows('#popup-output', words)
  }

  const command = async (target: string, line: string, words: RegExp): Promise<string> => {
    await page.locator('#button-manual-run').click()
    await page.locator('#target').fill(target)
    await page.locator('#command').fill(line)
    const text = await submit(words)
    await picture(`command-${line.replace(/\W+/g, '-')}`)
    await page.locator('#cmd-close-button').click()
    return text
  }

  /** Choose from the menu of a key, and run the command that SaltGUI makes of it. */
  const changeKey = async (id: string, item: string): Promise<void> => {
    const row = page.locator('#page-keys tr', { has: page.locator('td', { hasText: new RegExp(`^${id}$`) }) })
    await row.locator('.run-command-button.no-search').hover()
    await row.locator('.menu-dropdown-content').getByText(item, { exact: false }).first().click()
    await submit(/WHEEL:\s*[\s\S]*\{[\s\S]*\}/)
    await picture(`key-${item.split(' ')[0]}`)
    await page.locator('#cmd-close-button').click()
  }

  test('is served by the API and refuses a wrong password', async () => {
    await page.goto(site.url)
    await page.locator('#login-button').waitFor()
    await logIn('wrong')
    await shows('#notice-wrapper', /Authentication failed|denied|failed/i)
    // the browser is expected to report it
    expect(complaints.splice(0).every((text) => text.includes('401'))).toBe(true)
  })

  test('logs in', async () => {
    await logIn('adminpw')
    await page.locator('#page-minions').waitFor({ state: 'visible' })
    await shows('#page-minions', /web1[\s\S]*web2|web2[\s\S]*web1/)
    const cookies = await page.context().cookies()
    expect(cookies.map(({ name }) => name)).toContain('session_id')
  })

  test('runs commands on minions, runners and wheels', async () => {
    expect(await command('*', 'test.echo "hello there"', /web2[\s\S]*hello there/)).toMatch(/web1/)
    await command('web1,db1', 'test.ping', /db1[\s\S]*web1/)
    await command('G@roles:db and db1', 'grains.get roles', /db1[\s\S]*db/)
    await command('#webs', 'test.ping', /web1[\s\S]*web2/)
    await command('', 'runners.manage.up', /web1/)
    await command('web1', 'wheel.key.finger', /[0-9a-f]{2}(:[0-9a-f]{2}){15}/)
    await command('web1', 'state.apply motd saltenv=more', /nothing to do|Success|succeeded/i)
    await command('web1', 'nosuch.function', /is not available/)
    await command('web1', 'sys.doc test.ping', /test\.ping/)
  })

  test.each(PAGES)('shows the page $name', async ({ name, words, parameters }) => {
    await visit(name, parameters)
    for (const each of words) await shows(`#page-${name}`, each)
    await shows(`#page-${name}`, LOADED)
    await picture(name)
  })

  test('shows a job', async () => {
    const jid = /\d{20}/.exec(await site.run('salt --async web1 test.echo "a job"'))![0]
    await visit('job', `id=${jid}`)
    await shows('#page-job', /web1[\s\S]*a job/)
    await picture('job')
  })

  test('shows events as they come', async () => {
    await visit('events')
    await page.locator('#events-panel > .small-button', { hasText: PLAY }).click()
    await until('the event on the page', async () => {
      await site.run('salt-run event.send more/event/shown \'{"word": "seen"}\'')
      return /more\/event\/shown[\s\S]*seen/.test(await visible('#page-events'))
    })
    await picture('events-live')
  })

  test('accepts, rejects and deletes keys', async () => {
    await visit('keys')
    await shows('#page-keys', /new2/)
    await changeKey('new1', 'Accept key')
    await site.keyIs('new1', 'minions')
    await site.starts('new1')
    await site.stage.cluster.stop('new2')
    await visit('keys')
    await changeKey('new2', 'Reject key')
    await site.keyIs('new2', 'minions_rejected')
    await visit('keys')
    await shows('#page-keys', /rejected/)
    await changeKey('new2', 'Delete key')
    await until('the key of new2 gone', async () => !JSON.stringify(await site.keys()).includes('new2'))
  })

  test('logs out', async () => {
    await visit('minions')
    const cookies = await page.context().cookies()
    const session = cookies.find(({ name }) => name === 'session_id')!.value
    await page.locator('#button-logout1').click()
    await page.locator('#login-button').waitFor()
    const answer = await page.context().request.get(`${site.url}/minions`, {
      headers: { Accept: 'application/json', 'X-Auth-Token': session },
    })
    expect(answer.status()).toBe(401)
    complaints.splice(0)
  })
})
