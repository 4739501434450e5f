import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { until } from '../until.ts'
import { axe, hasBrowser, picture, SITE, seed, Visitor } from './console-site.ts'

describe.skipIf(!hasBrowser)('Overview of the console', () => {
  const site = new ClientSite(SITE)
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    await site.open()
    await seed(site)
    visitor = await Visitor.open(site.url)
    page = await visitor.logIn()
  })

  afterAll(async () => {
    await visitor?.close()
    await site.close()
  })

  const figure = async (name: string): Promise<string> =>
    (await page.locator('a.stat', { hasText: name }).locator('.value').textContent()) ?? ''

  it('counts minions, keys, failing highstates and drift', async () => {
    await visitor.go(page, '/overview')
    await until('the figures', async () => (await page.locator('a.stat').count()) > 5)
    expect(await figure('Minions up')).toBe('3')
    expect(await figure('Minions down')).toBe('0')
    expect(await figure('Keys waiting')).toBe('2')
    expect(await figure('States failing')).toBe('1')
    expect(await figure('Drifted')).toBe('2')
    await page.getByText('salt/job/*/ret').waitFor()
    expect(await page.locator('main').textContent()).toMatch(/Memory.*Open files.*Storageok/)
    await picture(page, 'overview')
  })

  it('lists what needs attention, each with a link that shows it', async () => {
    await visitor.go(page, '/overview')
    const issues = page.locator('.issues')
    await issues.getByText('2 keys wait to be accepted').waitFor()
    await issues.getByText('2 minions drifted').waitFor()
    await issues.getByText('state.apply failed on *').first().waitFor()
    await issues.getByText('The last highstate of 1 minion failed').click()
    await page.locator('a.strong', { hasText: 'db1' }).waitFor()
    expect(page.url()).toContain('/minions?result=failed')
  })

  it('follows jobs and keys live', async () => {
    await visitor.go(page, '/overview')
    await until('two keys', async () => (await figure('Keys waiting')) === '2')
    await site.run('salt web1 test.echo overview')
    await page.locator('.lines').getByText('test.echo').waitFor()
    await site.run('salt-key -y -a new2')
    await until('one key fewer', async () => (await figure('Keys waiting')) === '1')
    await until('one minion more', async () => (await figure('Minions up')) === '4')
  })

  it('draws the last hour', async () => {
    // the master counts by minutes: an hour of them is put into its answer
    await page.route('**/v1/status', async (route) => {
      const answer = await route.fetch()
      const minutes = Array.from({ length: 60 }, (_, at) => ({
        at: new Date(Date.now() - (60 - at) * 60_000).toISOString(),
        events: 5 + (at % 7),
        jobs: at % 4,
        up: 3,
      }))
      await route.fulfill({ response: answer, json: { ...(await answer.json()), history: minutes } })
    })
    await visitor.go(page, '/minions')
    await visitor.go(page, '/overview')
    await page.getByRole('img', { name: 'Minions up, the last hour' }).waitFor()
    expect(await page.locator('.chart canvas').count()).toBe(3)
    await picture(page, 'overview-charts')
    await page.unroute('**/v1/status')
  })

  it('shows users without rights their own jobs and the missing right', async () => {
    const other = await visitor.logIn('ops')
    await visitor.go(other, '/overview')
    expect(await other.getByRole('alert').first().textContent()).toMatch(/manage\.status|external_auth/)
    await other.getByText('Last jobs').waitFor()
    await other.close()
  })

  it.each([{ scheme: 'light' }, { scheme: 'dark' }, { width: 390, height: 844 }] as const)(
    'has no findings of axe and no sideways scrolling: %o',
    async (look) => {
      const other = await visitor.logIn('admin', look)
      await visitor.go(other, '/overview')
      expect(await axe(other)).toEqual([])
      const [width, seen] = await other.evaluate<[number, number]>('[document.documentElement.scrollWidth, innerWidth]')
      expect(width).toBe(seen)
      await other.close()
    },
  )

  it('leaves no complaints of the browser', () => {
    expect(visitor.complaints).toEqual([])
  })
})
