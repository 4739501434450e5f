import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientSite } from '../api/client-site.ts'
import { until } from '../until.ts'
import { axe, hasBrowser, picture, SITE, Visitor } from './console-site.ts'

const { web1, db1 } = SITE.minions

describe.skipIf(!hasBrowser)('Keys in the console', () => {
  const site = new ClientSite({
    ...SITE,
    minions: { web1, db1 },
    master: {
      ...SITE.master,
      external_auth: {
        file: { ...SITE.master.external_auth.file, ops: [{ '@wheel': ['key.list_all', 'key.accept'] }] },
      },
    },
  })
  let visitor: Visitor
  let page: Page

  /** Put a key beside those of minions that run. */
  const putKey = (folder: string, id: string): void => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = publicKey.export({ type: 'spki', format: 'pem' })
    writeFileSync(join(site.stage.cluster.root, 'master', 'pki', folder, id), pem)
  }

  beforeAll(async () => {
    await site.open()
    for (const id of SITE.waiting) await site.keyIs(id, 'minions_pre')
    for (const id of ['some1', 'some2', 'some3']) putKey('minions_pre', id)
    putKey('minions_denied', 'db1')
    visitor = await Visitor.open(site.url)
    page = await visitor.logIn()
  })

  afterAll(async () => {
    await visitor?.close()
    await site.close()
  })

  const rows = async (): Promise<string[]> =>
    (await page.locator('[role=table][aria-label=Keys] .rows [role=row]').allInnerTexts()).map((row) =>
      row.split('\n').slice(0, 2).join(' '),
    )
  const shows = (expected: string[]): Promise<void> =>
    until(`the keys ${expected}`, async () => (await rows()).join() === expected.join())
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const dialog = () => page.getByRole('dialog')
  const results = () => page.getByRole('list', { name: 'Results' })
  const fingerprints = async (): Promise<Record<string, Record<string, string>>> =>
    JSON.parse(await site.run('salt-key -F --out=json'))

  it('lists all states with fingerprints, and filters by state and id', async () => {
    await visitor.go(page, '/keys')
    await shows([
      'db1 accepted',
      'db1 denied',
      'new1 waiting',
      'new2 waiting',
      'some1 waiting',
      'some2 waiting',
      'some3 waiting',
      'web1 accepted',
    ])
    const own = (await fingerprints())['minions_pre']!['new1']!
    expect(await page.getByRole('row', { name: /new1/ }).textContent()).toContain(own)
    await page.getByRole('navigation', { name: 'Views' }).getByText('5 waiting').waitFor()
    await picture(page, 'keys')
    await page.getByRole('link', { name: 'Denied 1' }).click()
    await shows(['db1 denied'])
    await page.getByRole('link', { name: /^All/ }).click()
    await page.getByRole('searchbox').fill('NEW')
    await shows(['new1 waiting', 'new2 waiting'])
    expect(page.url()).toContain('q=NEW')
    await page.reload()
    await shows(['new1 waiting', 'new2 waiting'])
  })

  it('shows one key, and accepts it after a question', async () => {
    await visitor.go(page, '/keys')
    await page.getByRole('row', { name: /new1/ }).click()
    expect(await dialog().textContent()).toContain('Compare the fingerprint')
    expect(page.url()).toContain('key=pending%2Fnew1')
    await dialog().getByRole('button', { name: 'Accept' }).click()
    expect(await dialog().textContent()).toContain('Accepts 1 key: new1.')
    await dialog().getByRole('button', { name: 'Accept' }).click()
    await site.keyIs('new1', 'minions')
    await page.getByRole('heading', { name: '1 of 1 key accepted' }).waitFor()
    await page.getByRole('row', { name: /new1.*accepted/ }).waitFor()
  })

  it('shows changes by other clients', async () => {
    await visitor.go(page, '/keys?q=new')
    await shows(['new1 accepted', 'new2 waiting'])
    await site.run('salt-key -y -r new2')
    await shows(['new1 accepted', 'new2 rejected'])
    await site.run('salt-key -y -d new1')
    await shows(['new2 rejected'])
    await site.stage.cluster.stop('new1')
    site.stage.cluster.start('new1')
    await shows(['new1 waiting', 'new2 rejected'])
  })

  it('compares with a pasted list, and accepts what matches', async () => {
    const { some1, some2 } = (await fingerprints())['minions_pre']!
    await visitor.go(page, '/keys?q=some')
    await button('Compare with a list').click()
    await page
      .getByLabel('Lines of an id and a fingerprint')
      .fill(`some1 ${some1!.toUpperCase().replaceAll(':', '')}\nsome2: ${some1}\nghost ${some2}\nnonsense`)
    const comparison = page.getByRole('list', { name: 'Comparison' })
    expect(((await comparison.textContent()) ?? '').replace(/\s+/g, ' ')).toMatch(
      /^match1 keymismatch1 key.*unknownghost$/,
    )
    await page.getByText('1 line cannot be read, first line 4: nonsense').waitFor()
    expect(await rows()).toEqual(['some1 waiting', 'some2 waiting', 'some3 waiting'])
    expect(await page.getByRole('row', { name: /some2/ }).textContent()).toContain('mismatch')
    await picture(page, 'keys-compare')
    await button('Accept 1 waiting key that matches').click()
    await dialog().getByRole('button', { name: 'Accept' }).click()
    await site.keyIs('some1', 'minions')
    await shows(['some1 accepted', 'some2 waiting', 'some3 waiting'])
    await page.getByRole('link', { name: '1 key', exact: true }).nth(1).click()
    await shows(['some2 waiting'])
    await button('Close the list').click()
  })

  it('deletes a selection after the confirmation word, and shows the result for each key', async () => {
    await visitor.go(page, '/keys?q=some')
    for (const id of ['some2', 'some3']) await page.getByLabel(`Select the key of ${id}`).check()
    expect(page.url()).toContain('selected=')
    // another user is faster with one of them; the page may not know it yet
    await page.route('**/v1/keys', async (route) => {
      await site.run('salt-key -y -d some3')
      await route.continue()
    })
    await button('Delete').click()
    expect(await dialog().textContent()).toContain('Deletes 2 keys: some2, some3.')
    const go = dialog().getByRole('button', { name: 'Delete' })
    expect(await go.isDisabled()).toBe(true)
    await dialog().getByRole('textbox').fill('delete')
    await go.click()
    await results().waitFor()
    await until('both results', async () => ((await results().textContent()) ?? '').includes('some2'))
    expect(((await results().textContent()) ?? '').replace(/\s+/g, ' ')).toBe(
      'not donesome3 The minion has no pending key any moredeletedsome2',
    )
    await page.unroute('**/v1/keys')
    await shows(['some1 accepted'])
  })

  it('deletes a denied key, and leaves the accepted one of the same minion alone', async () => {
    await visitor.go(page, '/keys?q=db1&state=denied')
    await page.getByLabel('Select all keys that are shown').check()
    await button('Delete').click()
    await dialog().getByRole('textbox').fill('delete')
    await dialog().getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: '1 of 1 key deleted' }).waitFor()
    await visitor.go(page, '/keys?q=db1')
    await shows(['db1 accepted'])
    expect(await site.keys()).toMatchObject({ minions: expect.arrayContaining(['db1']), minions_denied: [] })
  })

  it('asks for the word before all waiting keys are accepted', async () => {
    await site.keyIs('new1', 'minions_pre')
    await visitor.go(page, '/keys?state=pending')
    await shows(['new1 waiting'])
    await button('Accept all 1 waiting').click()
    await dialog().getByRole('textbox').fill('accept')
    await dialog().getByRole('button', { name: 'Accept' }).click()
    await site.keyIs('new1', 'minions')
  })

  it('offers what the user may do', async () => {
    const ops = await visitor.logIn('ops')
    await visitor.go(ops, '/keys?selected=*')
    await ops.getByText('Fingerprints need the right').waitFor()
    const reject = ops.getByRole('button', { name: 'Reject' })
    expect([await reject.isDisabled(), await reject.getAttribute('title')]).toEqual([
      true,
      'You need the right to call the wheel function key.reject',
    ])
    expect(await ops.getByRole('button', { name: 'Accept', exact: true }).isDisabled()).toBe(false)
  })

  it.each(['light', 'dark'] as const)('has nothing that axe finds wrong, in %s', async (scheme) => {
    const other = await visitor.logIn('admin', { scheme })
    for (const address of ['/keys?selected=*', '/keys?compare=1', '/keys?key=accepted/web1']) {
      await visitor.go(other, address)
      expect(await axe(other)).toEqual([])
    }
  })

  it('makes no browser complain', () => expect(visitor.complaints).toEqual([]))
})
