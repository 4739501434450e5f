// The form to run functions, in a real browser over a real master.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { axe, hasBrowser, SITE, settled, Visitor } from './console-site.ts'

describe.skipIf(!hasBrowser)('the form to run functions', () => {
  let site: ClientSite
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    site = new ClientSite(SITE)
    await site.open()
    visitor = await Visitor.open(site.url)
    // a runner that has not ended has no return yet
    visitor.expected.push(/404 GET .*\/returns/, /404 GET .*\/v1\/functions/)
    page = await visitor.logIn()
  })
  afterAll(async () => {
    await visitor?.close()
    await site?.close()
  })

  const line = (): Promise<string | null> => page.getByLabel('Command line', { exact: true }).textContent()

  it('shows the matching minions while a target is typed, and builds compound ones', async () => {
    await visitor.go(page, '/run')
    await page.getByLabel('Target', { exact: true }).fill('web*')
    await page.getByText('2 minions', { exact: true }).waitFor()
    await page.getByText('Add a condition').click()
    await page.getByLabel('How the condition joins').selectOption('or')
    await page.getByLabel('Condition', { exact: true }).fill('roles:db')
    await page.getByRole('button', { name: 'Add condition' }).click()
    await page.getByText('3 minions', { exact: true }).waitFor()
    expect(await page.getByLabel('Target', { exact: true }).inputValue()).toBe('web* or G@roles:db')
    await page.getByRole('group', { name: 'Nodegroups' }).getByRole('button', { name: 'bases' }).click()
    await page.getByText('1 minion', { exact: true }).waitFor()
    await page.getByLabel('Kind of target').selectOption('compound')
    await page.getByLabel('Target', { exact: true }).fill('G@ and (')
    await page.locator('.notice[data-tone=failed], .meant strong').first().waitFor()
  })

  it('finds functions, makes a form of their arguments and runs them', async () => {
    await visitor.go(page, '/run?target=web1')
    await page.getByRole('combobox', { name: 'Function', exact: true }).fill('test.fi')
    await page.getByRole('option', { name: /test\.fib/ }).click()
    await page.getByText('only reads').waitFor()
    await page.getByLabel(/^num/).fill('7')
    await expect.poll(line).toBe("salt 'web1' test.fib 7")
    const address = page.url()
    expect(decodeURIComponent(address)).toMatch(/args=\[7\]/)
    await page.getByText(/Allowed by/).waitFor()
    await page.getByRole('button', { name: 'Run on 1 minion' }).click()
    await page.waitForURL(/#\/jobs\/\d+/)
    await page.getByText('done', { exact: true }).waitFor()
    await visitor.go(page, '/run')
    await page.getByRole('link', { name: "salt 'web1' test.fib 7" }).click()
    await expect.poll(() => page.getByLabel(/^num/).inputValue()).toBe('7')
  })

  it('tries states first', async () => {
    await visitor.go(page, '/run?target=web*&function=state.apply')
    await page.getByLabel(/^mods/).fill('web')
    await expect.poll(line).toMatch(/test=True$/)
    await page.getByRole('button', { name: 'Test on 2 minions' }).click()
    await page.getByText('test run', { exact: true }).waitFor()
    await page.getByRole('application', { name: /Matrix/ }).waitFor()
    await page.getByRole('link', { name: 'Edit and run' }).click()
    await page.getByLabel(/Test run/).uncheck()
    await expect.poll(line).toBe("salt 'web*' state.apply mods=web")
    await page.getByLabel('Batch size').fill('1')
    await expect.poll(line).toBe("salt -b 1 'web*' state.apply mods=web")
    await page.getByRole('button', { name: 'Run on 2 minions' }).click()
    await page.waitForURL(/#\/jobs\/\d+/)
    await page.getByText('done', { exact: true }).waitFor()
  })

  it('keeps secrets out of the address and of what is remembered', async () => {
    await visitor.go(page, '/run?target=web1&function=shadow.gen_password')
    await page.locator('input[type=password]').first().fill('hunter2hunter2')
    await page.getByText(/Allowed by/).waitFor()
    expect(page.url()).not.toMatch(/hunter2/)
    await expect.poll(line).toMatch(/'…'|gen_password/)
    expect(await line()).not.toMatch(/hunter2/)
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toMatch(/hunter2/)
  })

  it('calls functions of the master and shows their results', async () => {
    await visitor.go(page, '/run?family=runner&function=manage.up')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('succeeded').waitFor()
    expect(await page.locator('.card', { hasText: 'Result' }).last().textContent()).toMatch(/web1/)
    await visitor.go(page, '/run?family=wheel&function=key.list&args=["accepted"]')
    await expect.poll(line).toBe('pepper --client=wheel key.list accepted')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('succeeded').waitFor()
  })

  it('offers templates of the master and commands that were saved', async () => {
    await visitor.go(page, '/run')
    await page.getByRole('link', { name: /Say something/ }).click()
    await expect.poll(line).toBe("salt 'web*' test.echo hello")
    await page.getByLabel('Save this command as').fill('Greeting')
    await page.getByRole('button', { name: 'Save' }).click()
    await visitor.go(page, '/run')
    await page.getByRole('link', { name: /Greeting/ }).click()
    await expect.poll(line).toBe("salt 'web*' test.echo hello")
    await page.getByRole('button', { name: 'Forget Greeting' }).click()
    expect(await page.getByRole('link', { name: /Greeting/ }).count()).toBe(0)
  })

  it('names the rule that refuses a user', async () => {
    visitor.expected.push(/403 GET .*\/v1\//)
    const ops = await visitor.logIn('ops')
    await visitor.go(ops, '/run?target=db1&function=test.ping')
    await ops
      .getByRole('alert')
      .filter({ hasText: /external_auth|access list|allow|entry/ })
      .first()
      .waitFor()
    expect(await ops.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true)
    await visitor.go(ops, '/run?target=web1&function=test.ping')
    await ops.getByText(/Allowed by/).waitFor()
    await ops.getByRole('button', { name: 'Run', exact: true }).click()
    await ops.waitForURL(/#\/jobs\/\d+/)
    await ops.getByText('done', { exact: true }).waitFor()
  })

  it('has nothing that axe finds wrong, in both schemes', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const look = await visitor.logIn('admin', { scheme })
      for (const hash of [
        '/run',
        '/run?target=web*&function=state.apply',
        '/run?family=runner&function=jobs.list_jobs',
      ]) {
        await visitor.go(look, hash)
        await settled(look)
        expect([hash, scheme, await axe(look)]).toEqual([hash, scheme, []])
      }
    }
    expect(visitor.complaints).toEqual([])
  })
})
