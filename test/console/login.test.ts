import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { until } from '../until.ts'
import { axe, hasBrowser, picture, SITE, Visitor } from './console-site.ts'

const { web1 } = SITE.minions

describe.skipIf(!hasBrowser)('The login and the frame of the console', () => {
  const site = new ClientSite({
    ...SITE,
    minions: { web1 },
    waiting: ['new1'],
    master: {
      ...SITE.master,
      external_auth: { ...SITE.master.external_auth, sharedsecret: { shared: ['test.*'] } },
      sharedsecret: 'sharedpw',
    },
  })
  let visitor: Visitor

  beforeAll(async () => {
    await site.open()
    await site.keyIs('new1', 'minions_pre')
    visitor = await Visitor.open(site.url)
    visitor.expected.push(/401 (GET|POST) .*\/v1\/(session|login)/)
  })

  afterAll(async () => {
    await visitor?.close()
    await site.close()
  })

  const submit = async (page: Page, user: string, password: string): Promise<void> => {
    await page.getByLabel('User').fill(user)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
  }

  it('shows the message of the day and errors, and returns to the requested address', async () => {
    const page = await visitor.page()
    await page.goto(`${site.url}/console/#/keys?state=pending`)
    await page.getByText('Be kind.').waitFor()
    expect(await axe(page)).toEqual([])
    await picture(page, 'login')
    await submit(page, 'admin', 'wrong')
    await page.getByText('The user or the password is wrong').waitFor()
    await submit(page, 'admin', 'adminpw')
    await page.getByRole('row', { name: /new1/ }).waitFor()
    expect(page.url()).toContain('#/keys?state=pending')
    await page.reload()
    await page.getByRole('row', { name: /new1/ }).waitFor()
    await page.getByRole('button', { name: /admin/ }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Password').waitFor()
    await until('the title of the login', async () => (await page.title()) === 'Log in · Brine')
    // the user is remembered, the password is not
    expect([await page.getByLabel('User').inputValue(), await page.getByLabel('Password').inputValue()]).toEqual([
      'admin',
      '',
    ])
  })

  it('lets the user choose the system that checks the login', async () => {
    const page = await visitor.page({ scheme: 'dark' })
    await page.goto(`${site.url}/console/`)
    await page.getByLabel('Checked by').selectOption('sharedsecret')
    await submit(page, 'shared', 'sharedpw')
    await page.locator('nav.side').waitFor()
    await page.getByRole('button', { name: /shared/ }).waitFor()
    expect(await axe(page)).toEqual([])
  })

  it('has a menu on a phone, a link to the content, and titles that get the focus', async () => {
    const page = await visitor.logIn('admin', { width: 390, height: 844 })
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Files' }).click()
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor()
    await page.getByRole('navigation', { name: 'Views' }).waitFor({ state: 'hidden' })
    await until('the focus on the title', async () => (await page.locator('h1:focus').count()) === 1)
    expect(await page.title()).toBe('Files · Brine')
    await page.reload()
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.locator('main:focus').count()).toBe(1)
  })

  it('announces the end of a session, and lets the user log in again in place', async () => {
    const page = await visitor.page()
    const soon = new Date(Date.now() + 120_000).toISOString()
    let isSoon = true
    await page.route('**/v1/session', async (route) => {
      const response = await route.fetch()
      if (!isSoon || !response.ok()) return route.fulfill({ response })
      return route.fulfill({ response, json: { ...(await response.json()), expires: soon } })
    })
    await page.goto(`${site.url}/console/#/settings?tab=health`)
    await submit(page, 'admin', 'adminpw')
    await page.getByText('The session ends at').waitFor()
    await page.getByRole('button', { name: 'Log in again' }).click()
    isSoon = false
    await page.getByRole('dialog').getByLabel('Password').fill('adminpw')
    await page.getByRole('dialog').getByRole('button', { name: 'Log in' }).click()
    await page.getByText('The session ends at').waitFor({ state: 'detached' })
    expect(page.url()).toContain('#/settings?tab=health')
    await page.close()
  })

  it('finds pages, minions, actions and recent targets in the palette', async () => {
    await site.run("salt 'web*' test.ping")
    const page = await visitor.logIn()
    await page.keyboard.press('Control+k')
    const search = page.getByRole('combobox', { name: /^Search/ })
    await search.fill('web1')
    await page.getByRole('option', { name: /web1\s*minion/ }).waitFor()
    expect(await axe(page)).toEqual([])
    await search.fill('users')
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/users/)
    await page.keyboard.press('Control+k')
    await search.fill('log out')
    await page.keyboard.press('Enter')
    await page.getByLabel('Password').waitFor()
  })

  it('ends the reads that are under way at the logout', async () => {
    const page = await visitor.logIn()
    let release = (): void => {}
    const loggedOut = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/v1\/keys/, async (route) => {
      await loggedOut
      await route.continue()
    })
    const asked = page.waitForRequest(/\/v1\/keys/)
    await page.goto(`${site.url}/console/#/keys`)
    await asked
    await page.getByRole('button', { name: /admin/ }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Password').waitFor()
    release()
    await page.unrouteAll({ behavior: 'wait' })
    await page.reload()
    await page.getByLabel('Password').waitFor()
  })

  it('says that the server is away, and goes on when it is back', async () => {
    visitor.expected.push(/ERR_|50\d /)
    const page = await visitor.logIn()
    await visitor.go(page, '/keys')
    await site.stage.cluster.stop('master')
    await page.getByText('The server cannot be reached. What is shown').waitFor()
    site.stage.cluster.start('master')
    await page.getByText('The server cannot be reached. What is shown').waitFor({ state: 'detached' })
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  })

  it('makes no browser complain', () => expect(visitor.complaints).toEqual([]))
})

describe('The files of the console', () => {
  const site = new ClientSite({ minions: {} })

  beforeAll(() => site.open())
  afterAll(() => site.close())

  const get = (path: string, headers = {}): Promise<Response> =>
    fetch(`${site.url}${path}`, { headers, redirect: 'manual' })

  /** The page and the addresses of all its files, those that scripts load included. */
  async function all(): Promise<string[]> {
    const seen = new Set<string>(['/console/'])
    for (const path of seen) {
      const text = await (await get(path)).text()
      for (const [, file] of text.matchAll(/["'`(](?:\.\/|\.\.\/)?((?:assets\/)?[\w-]+-[\w-]{8}\.(?:js|css|svg))/g))
        seen.add(`/console/assets/${file!.replace('assets/', '')}`)
    }
    return [...seen]
  }

  it('are served with a strict policy, cached by name, and without script in the page', async () => {
    const page = await get('/console/')
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    })
    const policy = page.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toContain('unsafe')
    const text = await page.text()
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=|https?:\/\//)
    for (const path of (await all()).slice(1)) {
      const file = await get(path)
      expect([path, file.status, file.headers.get('cache-control')]).toEqual([
        path,
        200,
        'public, max-age=31536000, immutable',
      ])
    }
    expect([(await get('/console')).status, (await get('/console')).headers.get('location')]).toEqual([302, 'console/'])
    expect((await get('/console/assets/nothing.js')).status).toBe(404)
    expect((await get('/console/..%2f..%2fpackage.json')).status).toBe(404)
  })

  it('are less than 150 KB together, compressed', async () => {
    const paths = await all()
    expect(paths.length).toBeGreaterThan(10)
    const sizes = { br: 0, gzip: 0 }
    for (const path of paths) {
      for (const encoding of ['br', 'gzip'] as const) {
        const { headers } = await get(path, { 'Accept-Encoding': encoding })
        expect(headers.get('content-encoding')).toBe(encoding)
        sizes[encoding] += Number(headers.get('content-length'))
      }
    }
    expect(sizes.br).toBeLessThan(150 * 1024)
    expect(sizes.gzip).toBeLessThan(150 * 1024)
  })
})

describe('A console that is switched off, or refused', () => {
  it.each([
    ['api_console: False', { api_console: false }, {}, 404],
    ['authorized_ips without the address', {}, { authorized_ips: ['10.9.8.7'] }, 403],
  ])('%s', async (_, master, api, status) => {
    const site = new ClientSite({ minions: {}, master, api })
    await site.open()
    try {
      for (const path of ['/console', '/console/', '/console/index.html'])
        expect([path, (await fetch(site.url + path, { redirect: 'manual' })).status]).toEqual([path, status])
    } finally {
      await site.close()
    }
  })
})
