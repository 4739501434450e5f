import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { until } from '../until.ts'
import { axe, hasBrowser, picture, SITE, seed, settled, Visitor } from './console-site.ts'

describe.skipIf(!hasBrowser)('Minions in the console', () => {
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

  const rows = (): Promise<string[]> => page.locator('[role=table][aria-label=Minions] .rows a.strong').allInnerTexts()
  /** The text of the row of a minion. */
  const row = async (id: string): Promise<string> =>
    (await page.getByRole('row', { name: new RegExp(id) }).textContent()) ?? ''

  const open = async (hash: string): Promise<void> => visitor.go(page, hash)
  const value = async (line: string): Promise<unknown> =>
    JSON.parse(await site.run(`${line} --out=json${line.startsWith('salt-run') ? '' : ' --static'}`))

  /** Open a menu of the page and choose an item. */
  const choose = async (menu: string, item: string): Promise<void> => {
    await page.getByRole('button', { name: menu, exact: true }).click()
    await page.getByText(item, { exact: true }).click()
  }

  /** Type the word that a question asks for, and go on. */
  const confirm = async (word: string, action: string): Promise<void> => {
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill(word)
    await dialog.getByRole('button', { name: action }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  const toast = (text: string | RegExp): Promise<void> => page.locator('.toast', { hasText: text }).first().waitFor()

  it('lists minions with presence, version and the last highstate', async () => {
    await open('/minions')
    await until('three rows', async () => (await rows()).length === 3)
    expect(await row('db1')).toMatch(/up.*3008.*2 failed/)
    expect(await row('web1')).toContain('1 change')
    await picture(page, 'minions')
  })

  it('keeps filters, order and columns in the address', async () => {
    await open('/minions')
    await page.getByRole('searchbox', { name: /part of the id/ }).fill('WEB')
    await until('two rows', async () => (await rows()).join() === 'web1,web2')
    await page.getByRole('button', { name: 'Minion' }).click()
    await until('the other order', async () => (await rows()).join() === 'web2,web1')
    expect(page.url()).toMatch(/q=WEB.*sort=-id/)
    await page.getByLabel('Result of the last highstate').selectOption('failed')
    await page.getByText('No minion fits the filters').waitFor()
    await open('/minions?result=failed')
    await until('the failing minion', async () => (await rows()).join() === 'db1')
    await open('/minions?result=drift')
    await until('minions with drift', async () => (await rows()).join() === 'web1,web2')
    await open('/minions?grain=roles:db')
    await until('minions with a grain', async () => (await rows()).join() === 'db1')
    await open('/minions?columns=version,grains.roles,pillar.shop:workers')
    await until('values of columns', async () => (await row('db1')).endsWith('db4'))
  })

  it('filters by a compound target, which the master matches', async () => {
    await open('/minions')
    await until('all rows', async () => (await rows()).length === 3)
    const target = page.getByRole('searchbox', { name: 'Filter by a compound target' })
    await target.fill('G@roles:web and not web2')
    await target.press('Enter')
    await until('the minion that is meant', async () => (await rows()).join() === 'web1')
    expect(page.url()).toContain('target=G%40roles')
    visitor.expected.push(/400 GET .*target=web1/)
    await target.fill('web1 or )')
    await target.press('Enter')
    await page.locator('.notice').first().waitFor()
    expect(await rows()).toEqual([])
    await open('/schedules?tab=nodegroups&group=webs')
    await page.getByRole('link', { name: 'Show as a table' }).click()
    await until('the members', async () => (await rows()).join() === 'web1,web2')
  })

  it('adds and removes columns in the dialog', async () => {
    await open('/minions')
    await page.getByRole('button', { name: 'Columns' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/A grain or a value/).fill('grains.datacenter')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByRole('button', { name: 'Remove drift' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('columnheader', { name: 'grains.datacenter' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Drift' }).count()).toBe(0)
    await until('the value', async () => (await row('web1')).includes('ams'))
  })

  it('saves a view under a name', async () => {
    await open('/minions?q=web&columns=version')
    await choose('Views', 'Save this view …')
    await page.getByLabel('Name').fill('web servers')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await open('/minions')
    await until('all rows', async () => (await rows()).length === 3)
    await choose('Views', 'web servers')
    await until('the rows of the view', async () => (await rows()).join() === 'web1,web2')
    await choose('web servers', 'Remove the view web servers')
    await page.getByRole('button', { name: 'Views', exact: true }).click()
    expect(await page.getByText('web servers', { exact: true }).count()).toBe(0)
  })

  it('shows a minion beside the list', async () => {
    await open('/minions')
    await page.getByRole('row', { name: /web2/ }).click({ position: { x: 500, y: 10 } })
    const quick = page.getByRole('complementary', { name: 'Minion web2' })
    await quick.getByText('Last jobs').waitFor()
    expect(page.url()).toContain('show=web2')
    expect(await quick.textContent()).toContain('Kernel')
    await quick.getByRole('button', { name: 'Close' }).click()
    await quick.waitFor({ state: 'detached' })
  })

  it('moves between rows by keys', async () => {
    await open('/minions')
    await page.getByRole('row', { name: /db1/ }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Minion web1' }).waitFor()
  })

  it('offers the selected minions to the Run view, and applies the highstate to them', async () => {
    await open('/minions')
    await page.getByRole('checkbox', { name: 'Select web1' }).check()
    await page.getByRole('checkbox', { name: 'Select web2' }).check()
    const region = page.getByRole('region', { name: 'Selected minions' })
    expect(await region.getByRole('link', { name: 'Run on these' }).getAttribute('href')).toBe(
      '#/run?target=web1%2Cweb2&targetType=list',
    )
    await region.getByRole('button', { name: 'Apply highstate …' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.textContent()).toMatch(/On 2 minions: web1, web2[\s\S]*would change something on 2 minions/)
    await dialog.getByRole('button', { name: 'Dry run (test=True)' }).click()
    await page.waitForURL(/#\/jobs\/\d{20}/)
    const jid = /jobs\/(\d+)/.exec(page.url())![1]!
    await until('the returns of the dry run', async () => {
      const job = (await value(`salt-run jobs.list_job ${jid}`)) as Record<string, object>
      return Object.keys(job['Result'] ?? {}).length === 2 && JSON.stringify(job['Arguments']).includes('test')
    })
  })

  it('follows highstates live', async () => {
    await open('/minions?q=web1')
    await until('the row', async () => (await rows()).length === 1)
    await site.run('salt web1 state.apply pillar=\'{"site": "Leiden"}\'')
    await until('the change', async () => /1 changed/.test(await row('web1')))
  })

  it('shows grains and finds one', async () => {
    await open('/minions/db1?tab=grains')
    await page.getByRole('searchbox').fill('datacen')
    await until('one grain', async () => (await page.locator('.value-table tbody tr').count()) === 1)
    expect(await page.locator('.value-table tbody').textContent()).toContain('ams')
    await page.getByRole('button', { name: 'Actions of datacenter' }).click()
    expect(await page.getByRole('link', { name: 'Edit …' }).getAttribute('href')).toContain('function=grains.setval')
    await page.getByRole('link', { name: 'Minions with this value' }).click()
    await until('all minions of the value', async () => (await rows()).length === 3)
  })

  it('hides values of the pillar until they are requested, and shows the source of each', async () => {
    await open('/minions/db1?tab=pillar')
    await page.getByText('database:password').waitFor()
    expect(await page.locator('main').textContent()).toMatch(/db\.sls:2/)
    expect(await page.content()).not.toContain('s3cret-of-the-database')
    await page.getByRole('button', { name: 'Show the value of database:password' }).click()
    await page.getByText('s3cret-of-the-database').waitFor()
    await page.getByRole('button', { name: 'Hide', exact: true }).click()
    await page.getByText('s3cret-of-the-database').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'site' }).click()
    await page
      .getByRole('dialog', { name: 'Where site comes from' })
      .getByText(/common\.sls:1/)
      .waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
  })

  it('disables, enables, runs and deletes jobs of the schedule of a minion', async () => {
    const schedule = async () =>
      ((await value('salt web2 schedule.list return_yaml=False')) as { web2: Record<string, { enabled?: boolean }> })
        .web2
    await open('/minions/web2?tab=schedule')
    await page.getByText('every 1 hours').waitFor()
    await choose('Actions of hourly', 'Disable')
    await toast('Disabled hourly on web2')
    expect((await schedule())['hourly']!.enabled).toBe(false)
    await choose('Actions of hourly', 'Enable')
    await toast('Enabled hourly on web2')
    expect((await schedule())['hourly']!.enabled).not.toBe(false)
    await choose('Actions of hourly', 'Run now')
    await toast('web2 runs hourly')
    await page.getByRole('button', { name: 'Disable the scheduler' }).click()
    await page.getByText('Scheduler disabled').waitFor()
    await page.getByRole('button', { name: 'Enable the scheduler' }).click()
    await page.getByText('Scheduler enabled').waitFor()
    await choose('Actions of hourly', 'Delete …')
    await confirm('hourly', 'Delete')
    await page.getByText('The schedule is empty').waitFor()
    expect(await schedule()).not.toHaveProperty('hourly')
  })

  it('disables, enables and deletes beacons of a minion', async () => {
    const beacons = async () =>
      JSON.stringify(await value('salt web2 beacons.list return_yaml=False include_pillar=False'))
    await open('/minions/web2?tab=beacons')
    await page.getByText('averages').waitFor()
    await choose('Actions of load', 'Disable')
    await toast('Disabled load on web2')
    expect(await beacons()).toMatch(/"enabled":\s*false/)
    await choose('Actions of load', 'Enable')
    await toast('Enabled load on web2')
    await choose('Actions of load', 'Delete …')
    await confirm('load', 'Delete')
    await page.getByText('The minion has no beacons').waitFor()
    expect(await beacons()).not.toContain('averages')
  })

  it('shows, updates and flushes the mine of a minion', async () => {
    await open('/minions/web1?tab=mine')
    await page.getByRole('button', { name: 'Update the mine' }).click()
    await toast('web1 updated the mine')
    await page.getByRole('cell', { name: 'test.ping', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Flush …' }).click()
    await confirm('flush', 'Flush')
    await page.getByText('The minion has nothing in the mine').waitFor()
    expect(await value('salt-run cache.mine tgt=web1')).toEqual({ web1: {} })
  })

  it('shows the result of the last highstate, the history and the jobs', async () => {
    await open('/minions/db1?tab=highstate')
    await page.getByRole('cell', { name: /^broken step/ }).waitFor()
    expect(await page.locator('main').textContent()).toContain('The disk is too small')
    expect(
      await page
        .getByRole('group', { name: /Runs of states/ })
        .getByRole('link')
        .count(),
    ).toBeGreaterThan(1)
    await picture(page, 'minion-highstate')
    await open('/minions/db1?tab=jobs')
    await page.getByRole('row', { name: /cmd\.run/ }).waitFor()
  })

  it('refreshes what a minion knows', async () => {
    await open('/minions/web1')
    await choose('Refresh', 'Refresh pillar')
    await toast('web1: saltutil.refresh_pillar done')
  })

  it('suggests what to do about an unknown minion', async () => {
    visitor.expected.push(/404 GET .*\/v1\/minions\/nobody/)
    await open('/minions/nobody')
    await page.getByText('There is no minion nobody').waitFor()
  })

  it('says which right is missing', async () => {
    visitor.expected.push(/403 GET .*\/v1\/(minions|status)/)
    const other = await visitor.logIn('ops')
    await visitor.go(other, '/minions')
    expect(await other.getByRole('alert').first().textContent()).toMatch(/manage\.status|external_auth/)
    await visitor.go(other, '/minions/web1')
    await other.getByRole('alert').first().waitFor()
    await other.close()
  })

  it.each(['light', 'dark'] as const)('has no findings of axe in %s', async (scheme) => {
    const other = await visitor.logIn('admin', { scheme })
    const addresses = ['/minions?show=web1&select=db1', '/minions?dialog=columns', '/minions/db1']
    const tabs = ['grains', 'pillar', 'highstate', 'jobs', 'schedule', 'beacons', 'mine']
    const found: string[] = []
    for (const address of [...addresses, ...tabs.map((tab) => `/minions/db1?tab=${tab}`)]) {
      await visitor.go(other, address)
      found.push(...(await axe(other)).map((finding) => `${address}: ${finding}`))
    }
    expect(found).toEqual([])
    await other.close()
  })

  it('fits on a phone', async () => {
    const phone = await visitor.logIn('admin', { width: 390, height: 844 })
    for (const address of ['/minions', '/minions/db1', '/minions/db1?tab=grains', '/minions/db1?tab=highstate']) {
      await visitor.go(phone, address)
      const width = await phone.evaluate<number>('document.documentElement.scrollWidth')
      const main = await phone.evaluate<number>("document.querySelector('main').scrollWidth")
      expect([address, Math.max(width, main)]).toEqual([address, 390])
    }
    await phone.close()
  })

  it('deletes the key of a minion after its id was typed', async () => {
    await open('/minions/web2')
    await page.getByRole('button', { name: 'Delete key …' }).click()
    await confirm('web2', 'Delete')
    await settled(page)
    await until('the list without it', async () => (await rows()).join() === 'db1,web1')
    expect((await site.keys())['minions']).toEqual(['db1', 'web1'])
  })

  it('leaves no complaints of the browser', () => {
    expect(visitor.complaints).toEqual([])
  })
})
