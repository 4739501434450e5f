// The reactor with its dry run, and the lists of schedules, nodegroups and returners.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { until } from '../until.ts'
import { axe, hasBrowser, picture, SITE, Visitor } from './console-site.ts'

describe.skipIf(!hasBrowser)('the reactor', () => {
  const site = new ClientSite(SITE)
  let visitor: Visitor

  beforeAll(async () => {
    await site.open()
    await site.run('salt-run event.send deploy/done \'{"version": "1.4.2"}\'')
    await site.run("salt-run event.send deploy/broken '{}'")
    visitor = await Visitor.open(site.url)
  })

  afterAll(async () => {
    await visitor?.close()
    await site.close()
  })

  it('shows rules with hits and errors, and counts on', async () => {
    const page = await visitor.logIn()
    await visitor.go(page, '/reactor')
    const row = page.getByRole('row', { name: /deploy\/done/ })
    await row.getByRole('link', { name: '1', exact: true }).waitFor()
    await page
      .getByRole('row', { name: /deploy\/broken/ })
      .getByText(/has no attribute/)
      .waitFor()
    await site.run("salt-run event.send deploy/done '{}'")
    await row.getByRole('link', { name: '2', exact: true }).waitFor()
    await picture(page, 'reactor')
    await row.getByRole('link', { name: '2', exact: true }).click()
    const list = page.getByRole('list', { name: 'Reactions' })
    await until('the reactions of the rule', async () => (await list.locator('> li').count()) === 2)
    expect(await list.getByRole('link', { name: 'local.test.ping' }).first().getAttribute('href')).toMatch(
      /#\/jobs\/\d{20}/,
    )
    await list
      .getByRole('button', { name: /deploy\/done/ })
      .first()
      .click()
    await page.waitForURL(/reaction=\d+/)
    await list.getByRole('link', { name: /^Event \d+/ }).waitFor()
    await page.context().close()
  })

  it('tries rules on a past event and on one that is made up, and runs nothing', async () => {
    const page = await visitor.logIn()
    const jobs = (): number => site.stage.seen().filter(({ tag }) => /^salt\/job\/\d+\/new$/.test(tag)).length
    const before = jobs()
    await visitor.go(page, '/reactor?tab=test')
    await page
      .getByRole('list', { name: /Past events/ })
      .getByRole('link', { name: /deploy\/done/ })
      .first()
      .click()
    await page.getByText('test.ping', { exact: true }).waitFor()
    await page.getByText('Nothing was run.').waitFor()
    await page.getByRole('combobox', { name: 'Kind of event' }).selectOption('own')
    await page.getByLabel('Tag').fill('deploy/broken')
    await page.getByLabel('Data').fill('{"a": 1}')
    await page.getByRole('button', { name: 'Try it' }).click()
    await page
      .getByRole('alert')
      .getByText(/has no attribute/)
      .waitFor()
    await page.getByLabel('Tag').fill('nobody/answers')
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('No rule answers this event.').waitFor()
    expect(jobs()).toBe(before)
    await page.context().close()
  })

  it('lists schedules, nodegroups with their members, and returners', async () => {
    const page = await visitor.logIn()
    await visitor.go(page, '/schedules')
    await page.getByRole('row', { name: /tidy.*manage\.up.*Enabled/ }).waitFor()
    await page.getByRole('link', { name: 'Nodegroups' }).click()
    const group = page.getByRole('row', { name: /webs/ })
    await group.getByRole('button', { name: '2 minions' }).click()
    await group.getByRole('link', { name: 'web2' }).waitFor()
    expect(await group.getByRole('link', { name: 'Run on them' }).getAttribute('href')).toBe(
      '#/run?target=webs&targetType=nodegroup',
    )
    await page.getByRole('link', { name: 'Returners' }).click()
    await page.locator('[aria-label=Returners] :is(table, .empty)').waitFor()
    await page.context().close()
  })

  it('refuses a user without rights, in words, part by part', async () => {
    const page = await visitor.logIn('ops')
    visitor.expected.push(/403 GET .*\/v1\/(reactor|reactions|schedules|nodegroups|returners|events)/)
    for (const address of ['/reactor', '/reactor?tab=reactions', '/schedules', '/schedules?tab=returners']) {
      await visitor.go(page, address)
      await page.getByRole('alert').getByText(/right/).first().waitFor()
    }
    await page.context().close()
  })

  it.each(['light', 'dark'] as const)('has no faults of access in %s', async (scheme) => {
    const page = await visitor.logIn('admin', { scheme })
    for (const address of [
      '/reactor',
      '/reactor?tab=reactions&reaction=1',
      '/reactor?tab=test',
      '/reactor?tab=test&kind=own',
      '/schedules',
      '/schedules?tab=nodegroups&group=webs',
      '/schedules?tab=returners',
    ]) {
      await visitor.go(page, address)
      expect(await axe(page), address).toEqual([])
    }
    await page.context().close()
  })

  it('finds no fault of the browser', () => expect(visitor.complaints).toEqual([]))
})
