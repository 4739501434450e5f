import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { axe, hasBrowser, picture, SITE, Visitor } from './console-site.ts'

const { web1 } = SITE.minions

describe.skipIf(!hasBrowser)('Settings in the console', () => {
  const site = new ClientSite({
    ...SITE,
    minions: { web1 },
    waiting: [],
    master: { ...SITE.master, archive_jobs: true, sharedsecret: 'never-to-be-seen' },
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

  const row = (name: string | RegExp) => page.getByRole('table', { name: 'Options' }).getByRole('row', { name })

  it('shows effective options with the place that set them', async () => {
    await visitor.go(page, '/settings')
    await row(/api_console/).waitFor()
    await page.getByLabel('Set by a file').check()
    await row(/api_console/).waitFor({ state: 'detached' })
    expect(await row(/archive_jobs/).textContent()).toMatch(/archive_jobs\s*true\s*master:\d+\s*no effect/)
    await picture(page, 'settings')
    await row(/archive_jobs/).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.textContent()).toMatch(/Set in\s*\/.*master:\d+/)
    expect(page.url()).toContain('option=archive_jobs')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByLabel('Kind').selectOption('ineffective')
    await row(/api_motd/).waitFor({ state: 'detached' })
    expect(await row(/archive_jobs/).count()).toBe(1)
  })

  it('finds options by their meaning, and never shows secrets', async () => {
    await visitor.go(page, '/settings?option=sharedsecret')
    await page.getByRole('dialog').getByText('hidden', { exact: true }).waitFor()
    expect(await page.content()).not.toContain('never-to-be-seen')
    await visitor.go(page, '/settings?q=text shown before the login')
    await visitor.go(page, '/settings?q=hash')
    await row(/hash_type/).waitFor()
  })

  it('shows the health of the API, its versions and limits', async () => {
    await visitor.go(page, '/settings?tab=health')
    await page.getByText('open files').waitFor()
    for (const text of ['journal', '3008.2', 'api_request_rate']) await page.getByText(text, { exact: true }).waitFor()
    for (const [name, type] of [
      [/docs$/, 'text/html'],
      [/openapi\.json$/, 'application/json'],
    ] as const) {
      const address = await page.getByRole('link', { name }).getAttribute('href')
      const answer = await page.request.get(address!)
      expect([answer.status(), answer.headers()['content-type']?.split(';')[0]]).toEqual([200, type])
    }
    await picture(page, 'health')
  })

  it('counts the versions of the minions', async () => {
    await visitor.go(page, '/settings?tab=versions')
    await page.getByText('1 accepted minion,').waitFor()
    await page.getByRole('link', { name: '3008.2' }).click()
    await page.waitForURL(/minions\?version=3008\.2/)
  })

  it('says which right is missing', async () => {
    const ops = await visitor.logIn('ops')
    await visitor.go(ops, '/settings')
    await ops.getByText('This needs the right to call the wheel function config.values').waitFor()
    await visitor.go(ops, '/settings?tab=health')
    await ops.getByText('This needs the right to call the runner function manage.status').waitFor()
  })

  it.each(['light', 'dark'] as const)('has nothing that axe finds wrong, in %s', async (scheme) => {
    const other = await visitor.logIn('admin', { scheme })
    for (const address of ['/settings', '/settings?tab=health', '/settings?tab=versions', '/settings?option=reactor']) {
      await visitor.go(other, address)
      expect(await axe(other)).toEqual([])
    }
  })

  it('makes no browser complain', () => expect(visitor.complaints).toEqual([]))
})
