// The chain of causes of jobs and events.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { until } from '../until.ts'
import { axe, hasBrowser, picture, SITE, Visitor } from './console-site.ts'

describe.skipIf(!hasBrowser)('why', () => {
  const site = new ClientSite(SITE)
  let visitor: Visitor

  beforeAll(async () => {
    await site.open()
    await site.run('salt-run event.send deploy/done \'{"version": "1.4.2"}\'')
    await site.stage.cluster.run('salt-run state.orchestrate orch.deploy')
    await until('the job of the reaction', () =>
      site.stage.seen().some(({ tag, data }) => tag.includes('/ret/web1') && data.get('fun') === 'test.ping'),
    )
    visitor = await Visitor.open(site.url)
  })

  afterAll(async () => {
    await visitor?.close()
    await site.close()
  })

  it('explains possible queries, and shows the chain of an event down to the minions', async () => {
    const page = await visitor.logIn()
    await visitor.go(page, '/why')
    await page.getByText('What do you want to know the cause of?').waitFor()
    await page.getByRole('searchbox', { name: 'Job id, event number or tag' }).fill('deploy/done')
    await page.getByRole('button', { name: 'Show why' }).click()
    await page.waitForURL(/what=deploy/)
    const asked = page.locator('.trace-node[data-asked=true]')
    await asked.getByRole('link', { name: 'deploy/done' }).waitFor()
    await page.getByText(/reactor\/deploy\.sls:\d+/).waitFor()
    const job = page.locator('.trace-node').getByRole('link', { name: /test\.ping on web\*/ })
    expect(await job.getAttribute('href')).toMatch(/^#\/jobs\/\d{20}$/)
    await page.locator('.trace-node').getByRole('link', { name: 'web1' }).waitFor()
    await picture(page, 'why')
    // asked about the job, the same chain has another mark
    const jid = (await job.getAttribute('href'))!.split('/').at(-1)!
    await visitor.go(page, `/why?what=${jid}`)
    await asked.getByRole('link', { name: /test\.ping on web\*/ }).waitFor()
    await page.locator('.trace-node').getByRole('link', { name: 'deploy/done' }).first().waitFor()
    await page.context().close()
  })

  it('shows an orchestration with its steps, and says what is not there', async () => {
    const [run] = Object.keys(JSON.parse(await site.run('salt-run state.orchestrate_runs --out=json')))
    const page = await visitor.logIn()
    visitor.expected.push(/404 GET .*\/v1\/traces/)
    await visitor.go(page, `/why?what=${run}`)
    expect(await page.locator('.trace-node[data-asked=true]').getByRole('link').getAttribute('href')).toBe(
      `#/runs/${run}`,
    )
    await page
      .getByText(/orch\/deploy\.sls:\d+/)
      .first()
      .waitFor()
    await visitor.go(page, '/why?what=no/such/tag')
    await page
      .getByRole('alert')
      .getByText(/no event with this tag/)
      .waitFor()
    await page.context().close()
  })

  it('refuses a user without the right, in words', async () => {
    const page = await visitor.logIn('ops')
    visitor.expected.push(/403 GET .*\/v1\/(traces|status)/)
    await visitor.go(page, '/why?what=deploy/done')
    await page
      .getByRole('alert')
      .getByText(/trace\.show/)
      .waitFor()
    await page.context().close()
  })

  it.each(['light', 'dark'] as const)('has no faults of access in %s', async (scheme) => {
    const page = await visitor.logIn('admin', { scheme })
    for (const address of ['/why', '/why?what=deploy/done']) {
      await visitor.go(page, address)
      expect(await axe(page), address).toEqual([])
    }
    await page.context().close()
  })

  it('finds no fault of the browser', () => expect(visitor.complaints).toEqual([]))
})
