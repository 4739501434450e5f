// The manual pages: readers accept them, they say what the declarations say, and every program that names a page has one.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allOptions, BRINE_COMMANDS, helpText, PROGRAMS } from '../src/cli/mod.ts'
import { isFor, THEMES } from '../src/config/mod.ts'
import { roff } from './man/roff.ts'
import { writeManPages } from './man.ts'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'brine-man-'))
const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

beforeAll(() => writeManPages(root, folder))
afterAll(() => rmSync(folder, { recursive: true }))

const files = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.\d$/.test(file))
    .map((file) => join(folder, file))

/** A page as a reader sees it, without the hyphens of broken words. */
function shown(file: string): string {
  const { stdout } = spawnSync('groff', ['-man', '-Tascii', '-P-c', '-P-b', '-P-u', '-rLL=4000n', join(folder, file)], {
    encoding: 'utf8',
  })
  return stdout
}

describe('manual pages', () => {
  test.skipIf(!has('mandoc'))('have nothing that mandoc complains about', () => {
    const { stdout, stderr } = spawnSync('mandoc', ['-T', 'lint', ...files()], { encoding: 'utf8' })
    expect(stdout + stderr).toBe('')
  })

  test.skipIf(!has('groff'))('have nothing that groff complains about', () => {
    const { stderr, status } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', ...files()], { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })

  test.skipIf(!has('groff'))('say every option of every program', () => {
    for (const [name, program] of PROGRAMS) {
      const text = shown(`${name}.1`)
      if (text.includes('does not have')) continue
      for (const { flags } of allOptions(program)) expect(text).toContain(flags[0])
    }
    const brine = shown('brine.1')
    for (const { name } of BRINE_COMMANDS) expect(brine).toContain(`brine ${name}`)
  })

  test.skipIf(!has('groff'))('say every option of the configuration', () => {
    for (const role of ['master', 'minion'] as const) {
      const text = shown(`salt-${role}.5`)
      const options = [...THEMES.values()].flatMap((table) => Object.entries(table))
      for (const [name, option] of options) if (isFor(option, role)) expect(text).toContain(name)
    }
  })

  test('are there for every program whose help names one', () => {
    for (const [name, program] of PROGRAMS) {
      const [, named] = /"man ([\w-]+)"/.exec(helpText(program)) ?? []
      expect(files()).toContain(join(folder, `${named}.1`))
      expect(named).toBe(name)
    }
  })

  test('are all listed for npm, which installs them', () => {
    const { man } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const listed = man.map((page: string) => page.replace('dist/man', folder))
    expect(listed.sort()).toEqual(files().sort())
  })

  test('text of any kind is text for troff', () => {
    expect(roff(".de x\n'\\n(.x `a` — ~")).toBe('\\&.de x \\(aq\\en(.x \\(gaa\\(ga \\[u2014] \\(ti')
  })
})
