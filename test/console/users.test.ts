import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { axe, hasBrowser, picture, SITE, Visitor } from './console-site.ts'

const { web1, db1 } = SITE.minions

describe.skipIf(!hasBrowser)('Users and rights in the console', () => {
  const site = new ClientSite({ ...SITE, minions: { web1, db1 }, waiting: [] })
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

  const verdict = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text })

  it('lists access lists, and says what a user may do and why', async () => {
    await visitor.go(page, '/users')
    await page.getByRole('row', { name: /ops.*file/ }).click()
    expect(page.url()).toContain('user=ops&eauth=file')
    await page.getByText('on minions web*', { exact: true }).waitFor()
    await page.getByLabel('Function').fill('test.ping')
    await page.getByLabel('Target', { exact: true }).fill('web1')
    await verdict(/ops \(file\) may do this/).waitFor()
    expect(await verdict(/allowed/).textContent()).toContain('test.*')
    await page.getByLabel('Target', { exact: true }).fill('*')
    await verdict(/ops \(file\) may not do this/).waitFor()
    await page.getByLabel('Function').fill('cmd.run')
    await verdict(/nearest: test\.\*/).waitFor()
    await page.getByLabel('Kind', { exact: true }).selectOption('wheel')
    await page.getByLabel('Function').fill('key.accept')
    await verdict(/may not do this.*key\.accept/).waitFor()
    await picture(page, 'users')
    await page.reload()
    await verdict(/may not do this.*key\.accept/).waitFor()
  })

  it('asks about the caller without a user', async () => {
    await visitor.go(page, '/users?function=state.apply&target=web1')
    await verdict(/You may do this/).waitFor()
    await page.getByLabel('Function').fill('nonsense')
    await page.getByText('Write it as module.function').waitFor()
  })

  it('shows users of few rights their own', async () => {
    const ops = await visitor.logIn('ops')
    await visitor.go(ops, '/users?function=cmd.run&target=web1')
    await ops.getByText('The rights of others need the right').waitFor()
    await ops.getByText('You may not do this').waitFor()
    expect(await ops.getByRole('table', { name: 'Users' }).count()).toBe(0)
    expect(await axe(ops)).toEqual([])
  })

  it.each(['light', 'dark'] as const)('has nothing that axe finds wrong, in %s', async (scheme) => {
    const other = await visitor.logIn('admin', { scheme })
    await visitor.go(other, '/users?user=ops&eauth=file&function=cmd.run&target=web1')
    await other.getByText('may not do this').waitFor()
    expect(await axe(other)).toEqual([])
  })

  it('makes no browser complain', () => expect(visitor.complaints).toEqual([]))
})
