// Orchestration runs: the list, the graph, runs that work, and resuming one.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { until } from '../until.ts'
import { axe, hasBrowser, picture, SITE, Visitor } from './console-site.ts'

const SLOW = [
  'wait for the word:',
  '  salt.function:',
  '    - name: cmd.run',
  "    - tgt: 'web1'",
  '    - arg:',
  "      - 'until [ -e <ROOT>/go ]; do sleep 0.2; done'",
  'say it:',
  '  salt.function:',
  '    - name: test.ping',
  "    - tgt: 'web1'",
  '    - require:',
  '      - salt: wait for the word',
  '',
].join('\n')

interface Shown {
  state: string
  steps: Array<{ step: string; state: string }>
}

describe.skipIf(!hasBrowser)('orchestrations', () => {
  const site = new ClientSite({ ...SITE, files: { ...SITE.files, 'srv/salt/orch/slow.sls': SLOW } })
  let visitor: Visitor
  let jid: string

  beforeAll(async () => {
    await site.open()
    await site.stage.cluster.run('salt-run state.orchestrate orch.deploy')
    ;[jid] = Object.keys(JSON.parse(await site.run('salt-run state.orchestrate_runs --out=json'))) as [string]
    visitor = await Visitor.open(site.url)
  })

  afterAll(async () => {
    await visitor?.close()
    await site.close()
  })

  const shown = async (run: string): Promise<Shown> =>
    JSON.parse(await site.run(`salt-run state.orchestrate_show ${run} --out=json`)) as Shown

  it('lists runs, and shows one as a graph and as a table of steps', async () => {
    const page = await visitor.logIn()
    await visitor.go(page, '/runs')
    await page.getByRole('cell', { name: /2 of 4, 1 failed/ }).waitFor()
    await page.getByRole('link', { name: 'orch.deploy' }).click()
    const graph = page.getByRole('region', { name: 'Graph of the run' })
    await graph.getByRole('button', { name: /set up db.*Failed/ }).waitFor()
    expect(await graph.getByRole('button').count()).toBe(4)
    expect(await graph.locator('path').count()).toBe(4)
    await graph.getByRole('button', { name: /announce/ }).press('Enter')
    await page.waitForURL(/step=/)
    const row = page.getByRole('row', { name: /set up web/ }).first()
    expect(await row.getByRole('link').first().getAttribute('href')).toMatch(/^#\/jobs\/\d{20}$/)
    await page.getByRole('button', { name: 'Larger' }).click()
    await page.waitForURL(/zoom=125/)
    await picture(page, 'run')
    await page.context().close()
  })

  it('resumes a run without a step that is skipped', async () => {
    const page = await visitor.logIn()
    await visitor.go(page, `/runs/${jid}`)
    await page.getByRole('combobox', { name: 'When resumed, set up db' }).selectOption('skip')
    await page.waitForURL(/skip=/)
    await page.getByRole('button', { name: 'Resume' }).click()
    const dialog = page.getByRole('dialog', { name: /Resume/ })
    await dialog.getByText(/Counts as done without running: set up db/).waitFor()
    await dialog.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Succeeded', { exact: true }).first().waitFor()
    await until('the run that succeeded', async () => (await shown(jid)).state === 'succeeded')
    const { steps } = await shown(jid)
    expect(steps.find(({ step }) => step.includes('announce'))?.state).toBe('done')
    await page
      .getByRole('region', { name: 'Graph of the run' })
      .getByRole('button', { name: /announce.*Succeeded/ })
      .waitFor()
    // a run that succeeded goes on only where a step is to run again
    expect(await page.getByRole('button', { name: 'Resume' }).isDisabled()).toBe(true)
    await page.getByRole('combobox', { name: 'When resumed, announce' }).selectOption('retry')
    expect(await page.getByRole('button', { name: 'Resume' }).isEnabled()).toBe(true)
    await page.context().close()
  })

  it('shows a run while it works', async () => {
    const page = await visitor.logIn()
    await visitor.go(page, '/runs')
    const running = site.stage.cluster.run('salt-run state.orchestrate orch.slow')
    await page.getByRole('link', { name: 'orch.slow' }).click()
    const graph = page.getByRole('region', { name: 'Graph of the run' })
    await graph.getByRole('button', { name: /wait for the word.*Running/ }).waitFor()
    await graph.getByRole('button', { name: /say it.*Waiting/ }).waitFor()
    expect(await page.getByRole('button', { name: 'Resume' }).isDisabled()).toBe(true)
    writeFileSync(join(site.stage.cluster.root, 'go'), '')
    await graph.getByRole('button', { name: /say it.*Succeeded/ }).waitFor()
    expect((await running).status).toBe(0)
    await page.context().close()
  })

  it('refuses a user without the right, in words', async () => {
    const page = await visitor.logIn('ops')
    visitor.expected.push(/403 GET .*\/v1\/(runs|status)/)
    await visitor.go(page, '/runs')
    await page
      .getByRole('alert')
      .getByText(/state\.orchestrate_runs/)
      .waitFor()
    await page.context().close()
  })

  it('says that there is no such run', async () => {
    const page = await visitor.logIn()
    visitor.expected.push(/404 GET .*\/v1\/runs/)
    await visitor.go(page, '/runs/20200101000000000000')
    await page.getByRole('alert').getByText('There is no such run').waitFor()
    await page.context().close()
  })

  it.each(['light', 'dark'] as const)('has no faults of access in %s', async (scheme) => {
    const page = await visitor.logIn('admin', { scheme })
    for (const address of ['/runs', `/runs/${jid}`]) {
      await visitor.go(page, address)
      expect(await axe(page), address).toEqual([])
    }
    await page.context().close()
  })

  it('finds no fault of the browser', () => expect(visitor.complaints).toEqual([]))
})
