// The colours of the outputters: Salt's names, each an ANSI sequence that begins with a reset.
import { type Dict, str, textOf, truthy, type Value } from '../data/mod.ts'

const CODES = {
  BLACK: '0;30',
  DARK_GRAY: '0;1;30',
  RED: '0;31',
  LIGHT_RED: '0;1;31',
  GREEN: '0;32',
  LIGHT_GREEN: '0;1;32',
  YELLOW: '0;33',
  LIGHT_YELLOW: '0;1;33',
  BLUE: '0;34',
  LIGHT_BLUE: '0;1;34',
  MAGENTA: '0;35',
  LIGHT_MAGENTA: '0;1;35',
  CYAN: '0;36',
  LIGHT_CYAN: '0;1;36',
  LIGHT_GRAY: '0;37',
  WHITE: '0;1;37',
  DEFAULT_COLOR: '0;39',
  ENDC: '0;0',
} as const

export type ColorName = keyof typeof CODES

/** The sequences before coloured text, and `ENDC` after it; all empty without colour. */
export type Palette = Readonly<Record<ColorName, string>>

const names = Object.keys(CODES) as ColorName[]

const paletteOf = (code: (name: ColorName) => string): Palette =>
  Object.fromEntries(names.map((name) => [name, code(name)])) as Palette

const PLAIN = paletteOf(() => '')
const FULL = paletteOf((name) => sequence(CODES[name]))

function sequence(code: string): string {
  return `\x1b[${code}m`
}

/**
 * Return the colours. `use` is Salt's option `color`: false for none, or the name of one colour that replaces all. A
 * theme maps names to codes such as `0;31`.
 */
export function palette(use: Value, theme?: Dict): Palette {
  if (!truthy(use)) return PLAIN
  const themed = theme === undefined ? FULL : withTheme(theme)
  const only = textOf(use)
  if (only === undefined) return themed
  const chosen = codeNamed(only, theme)
  return chosen === undefined ? themed : paletteOf((name) => (name === 'ENDC' ? themed.ENDC : chosen))
}

function withTheme(theme: Dict): Palette {
  return paletteOf((name) => codeNamed(name, theme)!)
}

/** Return the code of a colour; a theme may define further names. */
function codeNamed(name: string, theme?: Dict): string | undefined {
  const own = theme?.get(name)
  if (own !== undefined) return sequence(str(own))
  return Object.hasOwn(CODES, name) ? FULL[name as ColorName] : undefined
}
