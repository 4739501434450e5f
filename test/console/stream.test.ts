// The stream of events under the page: a master that is restarted, a page that sleeps, and a session that ends elsewhere.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { until } from '../until.ts'
import { hasBrowser, SITE, settled, Visitor } from './console-site.ts'

describe.skipIf(!hasBrowser)('the stream of the console', () => {
  const site = new ClientSite({ ...SITE, minions: { web1: SITE.minions.web1 }, waiting: [] })
  let visitor: Visitor

  beforeAll(async () => {
    await site.open()
    visitor = await Visitor.open(site.url)
    // requests to a master that is away, and with a session that is over
    visitor.expected.push(/(401|503) GET .*\/v1\//, /^console: .*(ERR_|EventSource)/)
  })

  afterAll(async () => {
    await visitor?.close()
    await site.close()
  })

  const fire = (tag: string): Promise<string> => site.run(`salt-run event.send ${tag} '{}'`)

  const connection = (page: Page, state: string): Promise<void> =>
    page.locator(`.live[data-state=${state}]`).waitFor({ state: 'attached' })

  /** The tags of events that the page shows, oldest first. */
  async function shown(page: Page, part: string): Promise<string[]> {
    const cells = await page.getByRole('table', { name: 'Events' }).getByRole('row').allInnerTexts()
    return cells.flatMap((text) => new RegExp(`${part}/\\d+`).exec(text)?.[0] ?? []).reverse()
  }

  async function watch(part: string): Promise<Page> {
    const page = await visitor.logIn()
    await visitor.go(page, `/events?tag=${part}/*`)
    await connection(page, 'live')
    return page
  }

  it('goes on by itself when the master was killed and started again', async () => {
    const page = await watch('restart')
    // something that a loaded page would not have any more
    await page.evaluate("document.documentElement.dataset.kept = 'yes'")
    await fire('restart/1')
    await until('the first event', async () => (await shown(page, 'restart')).length === 1)
    await site.stage.cluster.stop('master', 'SIGKILL')
    await connection(page, 'waiting')
    await page.getByText('No connection').first().waitFor()
    site.stage.cluster.start('master')
    await until('the master answers again', async () => {
      const { status } = await site.stage.cluster.run('salt-run manage.versions')
      return status === 0
    })
    await fire('restart/2')
    await connection(page, 'live')
    await fire('restart/3')
    await until('all events', async () => (await shown(page, 'restart')).includes('restart/3'))
    expect(await shown(page, 'restart')).toEqual(['restart/1', 'restart/2', 'restart/3'])
    expect(await page.evaluate('document.documentElement.dataset.kept')).toBe('yes')
    await page.context().close()
  })

  it('shows what was fired while the page had no network, once', async () => {
    const page = await watch('offline')
    await fire('offline/1')
    await until('the first event', async () => (await shown(page, 'offline')).length === 1)
    await page.context().setOffline(true)
    await connection(page, 'waiting')
    for (const each of [2, 3, 4]) await fire(`offline/${each}`)
    expect(await shown(page, 'offline')).toEqual(['offline/1'])
    await page.context().setOffline(false)
    await connection(page, 'live')
    await fire('offline/5')
    await until('all events', async () => (await shown(page, 'offline')).includes('offline/5'))
    expect(await shown(page, 'offline')).toEqual([1, 2, 3, 4, 5].map((each) => `offline/${each}`))
    await page.context().close()
  })

  it('shows what was fired while the page was frozen, once', async () => {
    const page = await watch('frozen')
    await fire('frozen/1')
    await until('the first event', async () => (await shown(page, 'frozen')).length === 1)
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
    for (const each of [2, 3]) await fire(`frozen/${each}`)
    await devtools.send('Page.setWebLifecycleState', { state: 'active' })
    await fire('frozen/4')
    await until('all events', async () => (await shown(page, 'frozen')).includes('frozen/4'))
    expect(await shown(page, 'frozen')).toEqual([1, 2, 3, 4].map((each) => `frozen/${each}`))
    await page.context().close()
  })

  it('shows the login when the session was ended elsewhere, and comes back to the same address', async () => {
    const page = await watch('session')
    const address = page.url()
    const [cookie] = await page.context().cookies()
    const ended = await fetch(`${site.url}/v1/session`, {
      method: 'DELETE',
      headers: { 'X-Auth-Token': cookie!.value },
    })
    expect(ended.status).toBe(204)
    await page.getByLabel('Password').waitFor()
    await page.getByLabel('Password').fill('adminpw')
    await page.getByRole('button', { name: 'Log in' }).click()
    await settled(page)
    expect(page.url()).toBe(address)
    await connection(page, 'live')
    await fire('session/1')
    await until('the event', async () => (await shown(page, 'session')).includes('session/1'))
    await page.context().close()
  })

  it('finds no fault of the browser', () => expect(visitor.complaints).toEqual([]))
})
