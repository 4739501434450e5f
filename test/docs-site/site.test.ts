// The site of the documents in a real Chromium, opened from the folder as a reader without a web server does.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildDocs } from '../../tools/docs-site/build.ts'
import { axe, hasBrowser, picture, Visitor } from '../console/console-site.ts'

const ROOT = join(import.meta.dirname, '../..')
const folder = join(mkdtempSync(join(tmpdir(), 'brine-docs-site-')), 'site')
const built = buildDocs(ROOT, folder)
afterAll(() => rmSync(join(folder, '..'), { recursive: true }))

describe('The site of the documents', () => {
  it('has a page for each document, and no link that leads nowhere', () => {
    expect(built.pages).toBeGreaterThan(300)
    expect(built.problems).toEqual([])
  })

  it('does not overwrite a folder that holds something else', () => {
    expect(() => buildDocs(ROOT, join(ROOT, 'docs'))).toThrow('is not a site of documents')
  })
})

describe.skipIf(!hasBrowser)('The site of the documents in a browser', () => {
  let visitor: Visitor
  /** axe asks for the style sheet, which the policy of the pages forbids scripts. */
  let inspector: Visitor
  let page: Page
  const urlOf = (path: string): string => `${pathToFileURL(folder)}/${path}`

  beforeAll(async () => {
    visitor = await Visitor.open('')
    inspector = await Visitor.open('')
    page = await visitor.page()
  })
  afterAll(() => Promise.all([visitor?.close(), inspector?.close()]))

  const PAGES = {
    light: ['index', 'tutorial', 'console', 'reference/states/cron'],
    dark: ['tutorial'],
    phone: ['tutorial'],
  }
  const LOOKS = { light: {}, dark: { scheme: 'dark' }, phone: { width: 390, height: 844 } } as const

  it.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])('is accessible and fits its window: %s', async (look) => {
    const other = await inspector.page(LOOKS[look])
    for (const path of PAGES[look]) {
      await other.goto(urlOf(`${path}.html`))
      await picture(other, `docs-${path.replaceAll(/\W+/g, '-')}-${look}`)
      expect(await axe(other), path).toEqual([])
      const isWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
      expect(await other.evaluate(isWide), path).toBe(false)
    }
    await other.goto(urlOf('index.html'))
    await other.getByRole('combobox').fill('requisites')
    await other.getByRole('option').first().waitFor()
    await picture(other, `docs-search-${look}`)
    expect(await axe(other)).toEqual([])
    await other.close()
  })

  it.each([
    ['file.managed', 'file.managed', 'reference/states/file.html#filemanaged'],
    ['pkg.install', 'pkg.install', 'reference/modules/'],
    ['keep_jobs', 'keep_jobs', 'reference/master-options.html#row-keep_jobs'],
    ['tutorial', 'Tutorial', 'tutorial.html'],
    ['no response', 'No response', 'troubleshooting.html'],
  ])('finds %s first', async (query, heading, address) => {
    await page.goto(urlOf('glossary.html'))
    await page.keyboard.press('/')
    await page.keyboard.type(query)
    const first = page.getByRole('option').first()
    await first.waitFor()
    expect(await first.textContent()).toContain(heading)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.href.includes(address))
  })

  it('says so when nothing is found, and leaves the search by Escape', async () => {
    await page.goto(urlOf('reference/states/file.html'))
    await page.getByRole('combobox').fill('qqxx')
    await page.getByText('Nothing found').waitFor()
    await page.getByRole('combobox').press('Escape')
    expect(await page.getByRole('combobox').inputValue()).toBe('')
  })

  it('copies the commands of a block without prompts and output', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(urlOf('tutorial.html'))
    const block = page.locator('figure.code', { hasText: 'test.ping' }).first()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe("salt '*' test.ping\n")
  })

  it('opens the list of pages on a phone by a button', async () => {
    const phone = await visitor.page(LOOKS.phone)
    await phone.goto(urlOf('tutorial.html'))
    expect(await phone.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(false)
    await phone.getByRole('button', { name: 'Menu' }).click()
    await phone.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Glossary' }).click()
    await phone.waitForURL(/glossary\.html$/)
    await phone.close()
  })

  it('prints the text alone', async () => {
    await page.goto(urlOf('tutorial.html'))
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation').first().isVisible()).toBe(false)
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
    await page.emulateMedia({ media: 'screen' })
  })

  it('asks for nothing outside its folder, and breaks no rule of its policy', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(urlOf('console.html'))
    await page.getByRole('combobox').fill('x')
    await page.getByRole('option').first().waitFor()
    expect(asked.filter((url) => !url.startsWith(`${pathToFileURL(folder)}/`))).toEqual([])
    expect(visitor.complaints).toEqual([])
  })
})
