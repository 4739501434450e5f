// The list of jobs and the page of one, in a real browser over a real master.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { until } from '../until.ts'
import { axe, hasBrowser, SITE, seed, settled, Visitor } from './console-site.ts'

interface Listed {
  Function: string
  Target: string | string[]
  Arguments: unknown[]
}

describe.skipIf(!hasBrowser)('the jobs of the console', () => {
  let site: ClientSite
  let visitor: Visitor
  let page: Page
  /** The last highstate of all minions, of which one failed. */
  let jid: string

  const jobs = async (): Promise<[string, Listed][]> =>
    Object.entries(JSON.parse(await site.run('salt-run jobs.list_jobs --out=json')) as Record<string, Listed>).sort()

  const newJobs = async (known: ReadonlySet<string>, fun: string): Promise<Listed[]> =>
    (await jobs()).filter(([id, { Function: name }]) => !known.has(id) && name === fun).map(([, job]) => job)

  const ids = async (): Promise<Set<string>> => new Set((await jobs()).map(([id]) => id))

  beforeAll(async () => {
    site = new ClientSite(SITE)
    await site.open()
    await seed(site)
    jid = (await jobs()).filter(([, job]) => job.Function === 'state.apply' && job.Target === '*').at(-1)![0]
    visitor = await Visitor.open(site.url)
    page = await visitor.logIn()
  })
  afterAll(async () => {
    await visitor?.close()
    await site?.close()
  })

  it('are listed, filtered by the address, and grow by themselves', async () => {
    await visitor.go(page, '/jobs?function=state.apply&state=failed')
    const rows = page.getByRole('table', { name: 'Jobs' }).locator('.rows [role=row]')
    expect(await rows.count()).toBe(1)
    await visitor.go(page, '/jobs?function=sys.doc')
    await page.getByText('No job fits the filters').waitFor()
    await site.run("salt 'web1' sys.doc test.ping")
    await rows.first().waitFor()
    expect(await rows.first().textContent()).toMatch(/done.*sys\.doc.*web1/)
    await page.getByLabel('Function, such as state.*').fill('cmd')
    await page.getByRole('link', { name: 'cmd.run' }).click()
    await page.getByRole('heading', { name: 'cmd.run' }).waitFor()
  })

  it('of states have a matrix that keys walk through', async () => {
    await visitor.go(page, `/jobs/${jid}`)
    const matrix = page.getByRole('application', { name: /Matrix of 3 rows and 5 states/ })
    await matrix.focus()
    const said = page.locator('.matrix-said')
    const all: string[] = []
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 5; column++) {
        all.push((await said.textContent()) ?? '')
        await page.keyboard.press('ArrowRight')
      }
      await page.keyboard.press('Home')
      await page.keyboard.press('ArrowDown')
    }
    expect(all).toEqual(
      expect.arrayContaining([
        'db1, broken step (test.fail_without_changes): failed',
        'db1, after it (test.nop): not run',
        'db1, data folder (file.directory): changed',
        'web1, welcome page (file.managed): no change',
        'web2, data folder (file.directory): no such state',
      ]),
    )
    for (let up = 0; up < 3; up++) await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    const pane = page.getByRole('complementary', { name: 'Details' })
    await pane.getByText('The disk is too small').waitFor()
    expect(page.url()).toMatch(/minion=db1/)
    await pane.getByRole('button', { name: 'Close the details' }).click()
    await pane.waitFor({ state: 'detached' })
  })

  it('group minions with the same results, failures first', async () => {
    await visitor.go(page, `/jobs/${jid}?tab=groups`)
    const rows = page.getByRole('table', { name: /same results/ }).locator('.rows [role=row]')
    await rows.nth(1).waitFor()
    const texts = await rows.allTextContents()
    expect(texts[0]).toMatch(/failed1.*The disk is too small|failed1.*db1/)
    expect(texts.slice(1)).toEqual([expect.stringMatching(/^succeeded1/), expect.stringMatching(/^succeeded1/)])
    await rows.first().click()
    const pane = page.getByRole('complementary', { name: 'Details' })
    await pane.getByRole('button', { name: 'db1' }).click()
    await pane.getByRole('link', { name: 'db1' }).waitFor()
    const ping = (await jobs()).filter(([, job]) => job.Function === 'test.ping' && job.Target === '*').at(-1)![0]
    await visitor.go(page, `/jobs/${ping}`)
    await page.getByText('3 minions: the same').waitFor()
    await page.getByRole('button', { name: 'web2' }).click()
    await pane.getByRole('link', { name: 'web2' }).waitFor()
  })

  it('show differences of files as such', async () => {
    await site.run('salt web1 state.apply pillar=\'{"site": "Delft"}\'')
    const last = (await jobs()).filter(([, job]) => job.Function === 'state.apply').at(-1)![0]
    await visitor.go(page, `/jobs/${last}?minion=web1`)
    expect(await page.locator('.diff .added').first().textContent()).toMatch(/Welcome to Delft/)
    expect(await page.locator('.diff .removed').first().textContent()).toMatch(/Welcome to Utrecht/)
  })

  it('are compared with the run before', async () => {
    await site.run("salt 'web*' state.apply")
    const last = (await jobs()).filter(([, job]) => job.Function === 'state.apply').at(-1)![0]
    await visitor.go(page, `/jobs/${last}?tab=compare`)
    // the first run made the page of web2, and this one found it
    const rows = page.getByRole('table', { name: /Differences/ }).locator('.rows [role=row]')
    await rows.filter({ hasText: 'web2' }).waitFor()
    expect(await rows.allTextContents()).toEqual(['web2welcome page (file.managed)changedno change'])
  })

  it('are retried on the minions that failed', async () => {
    const known = await ids()
    await visitor.go(page, `/jobs/${jid}`)
    await page.getByRole('button', { name: 'Retry failed' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('on: db1.').waitFor()
    await dialog.getByRole('button', { name: 'Run' }).click()
    await page.waitForURL((url) => !url.href.includes(jid))
    const [job] = await newJobs(known, 'state.apply')
    expect(job).toMatchObject({ Target: ['db1'], Arguments: [] })
  })

  it('of a test run are applied for real, after a question', async () => {
    await site.run('salt web2 state.apply web test=True')
    const known = await ids()
    const test = (await jobs()).filter(([, job]) => job.Function === 'state.apply').at(-1)![0]
    await visitor.go(page, `/jobs/${test}`)
    await page.getByText('test run', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Apply for real' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
    await until('the job without test', async () => (await newJobs(known, 'state.apply')).length > 0)
    expect((await newJobs(known, 'state.apply'))[0]).toMatchObject({ Target: 'web2', Arguments: ['web'] })
  })

  it('are followed while they run, and stopped by a word', async () => {
    const known = await ids()
    const begun = await site.run("salt --async 'web*' test.sleep 300")
    const running = /\d{20}/.exec(begun)![0]
    await visitor.go(page, `/jobs/${running}`)
    await page.getByText('2 without a return').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Kill it' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/2 minions without a return: web1, web2/).waitFor()
    expect(await dialog.getByRole('button', { name: 'Kill' }).isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('kill')
    await dialog.getByRole('button', { name: 'Kill' }).click()
    await until('the job that kills', async () => (await newJobs(known, 'saltutil.kill_job')).length > 0)
  })

  it('of other users are not shown to those without the right', async () => {
    visitor.expected.push(/403 GET .*\/v1\//)
    const ops = await visitor.logIn('ops')
    await visitor.go(ops, '/jobs')
    await ops.getByText('There are no jobs yet').waitFor()
    await visitor.go(ops, `/jobs/${jid}`)
    await ops.getByRole('alert').first().waitFor()
    expect(await ops.getByRole('alert').first().textContent()).toMatch(/jobs\.list_job/)
  })

  it('have nothing that axe finds wrong, in both schemes', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const look = await visitor.logIn('admin', { scheme })
      for (const hash of ['/jobs', `/jobs/${jid}?minion=db1`, `/jobs/${jid}?tab=groups`, `/jobs/${jid}?tab=minions`]) {
        await visitor.go(look, hash)
        await settled(look)
        expect([hash, scheme, await axe(look)]).toEqual([hash, scheme, []])
      }
    }
    expect(visitor.complaints).toEqual([])
  })
})
