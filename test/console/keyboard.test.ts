// A walk through the whole console by the keyboard alone.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { until } from '../until.ts'
import { hasBrowser, SITE, settled, Visitor } from './console-site.ts'

const VIEWS: ReadonlyArray<readonly [key: string, title: string]> = [
  ['o', 'Overview'],
  ['m', 'Minions'],
  ['r', 'Run'],
  ['j', 'Jobs'],
  ['k', 'Keys'],
  ['e', 'Events'],
  ['n', 'Orchestrations'],
  ['a', 'Reactor'],
  ['s', 'Schedules'],
  ['w', 'Why'],
  ['f', 'Files'],
  ['u', 'Users and rights'],
  ['t', 'Settings'],
]

describe.skipIf(!hasBrowser)('The console by the keyboard alone', () => {
  const site = new ClientSite(SITE)
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    await site.open()
    visitor = await Visitor.open(site.url)
    visitor.expected.push(/401 GET .*\/v1\/session/)
    page = await visitor.page()
  })

  afterAll(async () => {
    await visitor?.close()
    await site.close()
  })

  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const type = (text: string): Promise<void> => page.keyboard.type(text)
  const title = (name: string): Promise<void> => page.getByRole('heading', { name, level: 1 }).waitFor()
  const focused = (selector: string): Promise<void> =>
    until(`the focus on ${selector}`, async () => (await page.locator(`${selector}:focus`).count()) === 1)

  it('logs in', async () => {
    await page.goto(`${site.url}/console/`)
    await focused('[name=username]')
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    await until('the login can be sent', () => page.getByRole('button', { name: 'Log in' }).isEnabled())
    await type('admin')
    await press('Tab')
    await type('adminpw')
    await press('Enter')
    await page.locator('nav.side').waitFor()
  })

  it.each(VIEWS)('opens the view of g %s: %s', async (key, name) => {
    await press('g', key)
    await page.locator('nav.side a[aria-current=page]', { hasText: name }).waitFor()
    await settled(page)
    await until('a heading', async () => (await page.locator('h1').count()) === 1)
    expect(await page.title()).toContain('Brine')
    // leaves a field that the view put the focus into
    await press('Escape')
  })

  it('moves through a table and opens a row', async () => {
    await press('g', 'k')
    await title('Keys')
    await settled(page)
    await press('/')
    await focused('[data-search]')
    await type('web')
    await until('two keys', async () => (await page.locator('.rows [role=row]').count()) === 2)
    while ((await page.locator('[data-index="0"]:focus').count()) === 0) await press('Tab')
    await press('ArrowDown')
    await focused('[data-index="1"]')
    await press('Enter')
    await page.getByRole('dialog', { name: 'Key of web2' }).waitFor()
    await press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await focused('[data-index="1"]')
  })

  it('shows the keys', async () => {
    await press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('runs test.ping on web1', async () => {
    await press('Control+k')
    await focused('[role=combobox]')
    await type('test.ping')
    await page.getByRole('option', { name: /^test\.ping\s*execution/ }).waitFor()
    while (!((await page.locator('[role=option][aria-selected=true]').textContent()) ?? '').startsWith('test.ping'))
      await press('ArrowDown')
    await press('Enter')
    await page.waitForURL(/#\/run\?.*test\.ping/)
    await settled(page)
    const target = page.getByLabel('Target', { exact: true })
    await target.waitFor()
    const id = await target.getAttribute('id')
    while ((await page.locator(`[id="${id}"]:focus`).count()) === 0) await press('Tab')
    await type('web1')
    await press('Enter')
    await page.waitForURL(/#\/jobs\/\d+/)
    await until('the job has returned', async () => ((await page.locator('main').textContent()) ?? '').includes('web1'))
    expect(await site.run('salt-run jobs.list_jobs search_function=test.ping search_target=web1')).toContain('web1')
  })

  it('logs out', async () => {
    await press('Control+k')
    await type('log out')
    await page.getByRole('option', { name: /Log out/ }).waitFor()
    await press('Enter')
    await page.getByLabel('Password').waitFor()
    expect(visitor.complaints).toEqual([])
  })
})
