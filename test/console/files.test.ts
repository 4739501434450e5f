import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { axe, hasBrowser, picture, SITE, Visitor } from './console-site.ts'

const { web1 } = SITE.minions

describe.skipIf(!hasBrowser)('Files in the console', () => {
  const site = new ClientSite({
    ...SITE,
    minions: { web1 },
    waiting: [],
    master: { ...SITE.master, file_roots: { base: ['<ROOT>/srv/salt'], dev: ['<ROOT>/srv/dev'] } },
    files: {
      ...SITE.files,
      'srv/dev/motd.txt': 'Hello {{ grains.id }}\n',
      'srv/salt/raw.bin': '\0\u0001\u0002',
      'srv/salt/long.txt': 'a line\n'.repeat(60_000),
    },
  })
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    await site.open()
    visitor = await Visitor.open(site.url)
    page = await visitor.logIn()
  })

  afterAll(async () => {
    await visitor?.close()
    await site.close()
  })

  const source = (name: string) => page.getByRole('region', { name })

  it('shows folders and a file with its lines', async () => {
    await visitor.go(page, '/files')
    await page.getByRole('row', { name: /web\// }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'init.sls' }).click()
    await source('web/init.sls').waitFor()
    expect(page.url()).toContain('path=web%2Finit.sls')
    expect(((await source('web/init.sls').textContent()) ?? '').replace(/\s+/g, ' ')).toContain(
      '2 file.managed:3 - name:',
    )
    await page.getByRole('link', { name: 'Line 3' }).click()
    expect(page.url()).toContain('line=3')
    expect(await page.locator('[data-marked=true]').textContent()).toContain('- name:')
    await picture(page, 'files')
    await page.getByRole('link', { name: 'salt://' }).click()
    await page.getByRole('row', { name: /top.sls/ }).waitFor()
  })

  it('opens the line of a link', async () => {
    await visitor.go(page, '/files?path=db.sls&line=5')
    expect(await page.locator('[data-marked=true]').textContent()).toContain('broken step')
  })

  it('describes files that are not text, long ones and empty ones', async () => {
    await visitor.go(page, '/files?path=raw.bin')
    await page.getByText('This file is no text').waitFor()
    await visitor.go(page, '/files?path=long.txt')
    await page.getByText('Only the beginning is shown').waitFor()
    await page.getByRole('button', { name: /more lines/ }).waitFor()
    visitor.expected.push(/404 GET .*\/v1\/files/)
    await visitor.go(page, '/files?path=../../etc/passwd')
    await page.getByText('There is no such').first().waitFor()
  })

  it('renders a file for a minion, when it is asked to', async () => {
    await visitor.go(page, '/files?path=web/init.sls&tab=rendered&minion=web1')
    expect(await page.getByText('This runs slsutil.renderer on the minion').isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Render' }).click()
    await page.getByText('This is web1.').waitFor()
    await page.getByText('Welcome to Utrecht').waitFor()
    await page.getByLabel('What to show').selectOption('states')
    await page.getByRole('button', { name: 'Render' }).click()
    await page.getByText('say hello').waitFor()
    expect(await site.run('salt-run jobs.list_jobs')).toContain('state.show_sls')
  })

  it('shows environments apart', async () => {
    await visitor.go(page, '/files')
    await page.getByLabel('Environment', { exact: true }).selectOption('dev')
    await page.getByRole('link', { name: 'motd.txt' }).click()
    await source('motd.txt').waitFor()
    expect(page.url()).toContain('saltenv=dev')
    await page.getByRole('link', { name: 'Rendered for a minion' }).click()
    await page.getByLabel('Minion', { exact: true }).fill('web1')
    await page.getByRole('button', { name: 'Render' }).click()
    await page.getByText('Hello web1').waitFor()
  })

  it('names the right that a user lacks', async () => {
    visitor.expected.push(/403 GET .*\/v1\/(files|environments|status)/)
    const ops = await visitor.logIn('ops')
    await visitor.go(ops, '/files')
    await ops.getByText('This needs the right to call the runner function fileserver.envs').waitFor()
  })

  it.each(['light', 'dark'] as const)('has nothing that axe finds wrong, in %s', async (scheme) => {
    const other = await visitor.logIn('admin', { scheme })
    for (const address of ['/files', '/files?path=web/init.sls&line=2', '/files?path=db.sls&tab=rendered']) {
      await visitor.go(other, address)
      expect(await axe(other)).toEqual([])
    }
  })

  it('makes no browser complain', () => expect(visitor.complaints).toEqual([]))
})
