// The view of events: live, filtered, paused, back through the journal, and firing one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { until } from '../until.ts'
import { axe, hasBrowser, picture, SITE, seed, Visitor } from './console-site.ts'

describe.skipIf(!hasBrowser)('events', () => {
  const site = new ClientSite(SITE)
  let visitor: Visitor

  beforeAll(async () => {
    await site.open()
    await seed(site)
    visitor = await Visitor.open(site.url)
  })

  afterAll(async () => {
    await visitor?.close()
    await site.close()
  })

  const fire = (tag: string, data = '{}'): Promise<string> => site.run(`salt-run event.send ${tag} '${data}'`)

  it('shows events as they come, filtered by what the address says, and the chosen one as a tree', async () => {
    const page = await visitor.logIn()
    await visitor.go(page, '/events?tag=live/*')
    await page.getByText('No event matches').waitFor()
    await fire('live/one', '{"colour": "teal", "deep": {"er": 1}}')
    await page.getByRole('cell', { name: 'live/one' }).click()
    const pane = page.getByRole('complementary', { name: 'Event' })
    await pane.getByText('"teal"').waitFor()
    await pane.locator('.key', { hasText: /^er: $/ }).waitFor()
    expect(await pane.getByRole('link', { name: 'Why' }).getAttribute('href')).toMatch(/^#\/why\?what=\d+$/)
    await page.waitForURL(/event=\d+/)
    await picture(page, 'events')
    // the address alone shows the event, also where the page does not hold it
    const number = new URLSearchParams(page.url().split('?')[1]).get('event')!
    await visitor.go(page, `/events?tag=nothing&event=${number}`)
    await page.getByText('"teal"').waitFor()
    await visitor.go(page, '/events?event=999999999')
    await page.getByText('The journal does not have this event').waitFor()
    await page.context().close()
  })

  it('shows data of any shape as text, and opens no more of it than a page bears', async () => {
    const page = await visitor.logIn()
    const row = Array.from({ length: 60 }, (_, index) => index)
    const data = {
      '<img src=x onerror=alert(1)>': '<script>alert(2)</script>',
      constructor: 'javascript:alert(3)',
      wide: row.map(() => row.map(() => row)),
      long: 'x'.repeat(200_000),
    }
    const body = JSON.stringify({ tag: 'hostile/<b>tag', data }).replace(
      '"constructor"',
      '"__proto__": 1, "constructor"',
    )
    const { status } = await page.request
      .post(`${site.url}/v1/events`, {
        data: body,
        headers: { 'Content-Type': 'application/json' },
      })
      .then((response) => ({ status: response.status() }))
    expect(status).toBe(200)
    await visitor.go(page, '/events?tag=hostile/*')
    await page.getByRole('cell', { name: 'hostile/<b>tag' }).click()
    const pane = page.getByRole('complementary', { name: 'Event' })
    await pane.locator('.key', { hasText: '<img src=x onerror=alert(1)>' }).waitFor()
    await pane.locator('.key', { hasText: '__proto__' }).waitFor()
    await pane.getByRole('button', { name: /more character/ }).waitFor()
    expect(await pane.locator('.leaf').count()).toBeLessThan(2500)
    expect(await pane.locator('img, script, a[href^="javascript:"]').count()).toBe(0)
    await page.context().close()
  })

  it('filters by expression and sender, and says what is wrong with an expression', async () => {
    const page = await visitor.logIn()
    await visitor.go(page, '/events')
    const filter = page.getByRole('searchbox', { name: /Part of a tag/ })
    await filter.fill('/ret.web[12]$/')
    const rows = page.getByRole('table', { name: 'Events' }).getByRole('row')
    await until('only returns', async () => {
      const texts = (await rows.allInnerTexts()).slice(1)
      return texts.length > 0 && texts.every((text) => /ret\/web\d/.test(text))
    })
    await filter.fill('/(/')
    await page.getByText(/Unterminated group|Invalid regular/).waitFor()
    await filter.fill('')
    await page.getByRole('combobox', { name: 'Sender' }).fill('user:root')
    await until('only events of the user', async () => {
      const texts = (await rows.allInnerTexts()).slice(1)
      return texts.length > 0 && texts.every((text) => text.includes('user root'))
    })
    await page.context().close()
  })

  it('holds what is shown while it is paused, and goes on without a gap', async () => {
    const page = await visitor.logIn()
    await visitor.go(page, '/events?tag=pause/*')
    await fire('pause/1')
    await page.getByRole('cell', { name: 'pause/1' }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await fire('pause/2')
    await fire('pause/3')
    await page.getByRole('button', { name: 'Show 2 new events' }).waitFor()
    expect(await page.getByRole('cell', { name: 'pause/2' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Show 2 new events' }).click()
    await page.getByRole('cell', { name: 'pause/3' }).waitFor()
    await page.getByRole('cell', { name: 'pause/2' }).waitFor()
    expect(page.url()).not.toContain('pause=')
    await page.context().close()
  })

  it('fires an event that reaches the master, and shows what the master refuses', async () => {
    const page = await visitor.logIn()
    visitor.expected.push(/422 POST .*\/v1\/events/)
    await visitor.go(page, '/events')
    await page.getByRole('button', { name: 'Fire an event' }).click()
    const dialog = page.getByRole('dialog', { name: 'Fire an event' })
    await dialog.getByLabel('Tag').fill('salt/job/20260101000000000001/new')
    await dialog.getByRole('button', { name: 'Fire', exact: true }).click()
    await dialog.locator('.wrong').filter({ hasText: /\w/ }).waitFor()
    await dialog.getByLabel('Data').fill('[1]')
    expect(await dialog.getByRole('button', { name: 'Fire', exact: true }).isDisabled()).toBe(true)
    await dialog.getByLabel('Tag').fill('shop/opened')
    await dialog.getByLabel('Data').fill('{"door": "north"}')
    await dialog.getByRole('button', { name: 'Fire', exact: true }).click()
    await until('the event on the bus', async () =>
      site.stage.seen().some(({ tag, data }) => tag === 'shop/opened' && data.get('door') === 'north'),
    )
    await page.getByRole('complementary', { name: 'Event' }).getByText('"north"').waitFor()
    await page.context().close()
  })

  it('goes back through the journal to its first event', async () => {
    const page = await visitor.logIn()
    await visitor.go(page, '/events?pause=1')
    const table = page.getByRole('table', { name: 'Events' })
    const earlier = page.getByRole('button', { name: 'Load earlier events' })
    await until('the beginning of the journal', async () => {
      if (await earlier.isVisible()) await earlier.click()
      await table.evaluate((box) => box.scrollTo(0, box.scrollHeight))
      const texts = await table.getByRole('row').allInnerTexts()
      return texts.some((text) => /^1$/m.test(text))
    })
    await page.context().close()
  })

  it('offers no firing to a user without the right, and shows only own events', async () => {
    const page = await visitor.logIn('ops')
    await visitor.go(page, '/events')
    expect(await page.getByRole('button', { name: 'Fire an event' }).isDisabled()).toBe(true)
    await page.getByText('No events yet').waitFor()
    await page.context().close()
  })

  it.each(['light', 'dark'] as const)('has no faults of access in %s', async (scheme) => {
    const page = await visitor.logIn('admin', { scheme })
    for (const address of ['/events', '/events?event=20', '/events?fire=1']) {
      await visitor.go(page, address)
      expect(await axe(page), address).toEqual([])
    }
    await page.context().close()
  })

  it('does not scroll sideways on a phone', async () => {
    const page = await visitor.logIn('admin', { width: 390, height: 844 })
    await visitor.go(page, '/events?event=20')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await page.context().close()
  })

  it('finds no fault of the browser', () => expect(visitor.complaints).toEqual([]))
})
