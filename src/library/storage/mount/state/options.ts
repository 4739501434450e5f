// Comparison of wanted and active mount options. The tables of options that the kernel does not show, or shows under another
// name or unit, are Salt's.
import { type Dict, dictEntries, isList, str, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'

const INVISIBLE = [
  '_netdev',
  'actimeo',
  'bg',
  'comment',
  'defaults',
  'delay_connect',
  'direct-io-mode',
  'intr',
  'loop',
  'nointr',
  'nobootwait',
  'nofail',
  'password',
  'reconnect',
  'retry',
  'soft',
  'auto',
  'users',
  'bind',
  'nonempty',
  'transform_symlinks',
  'port',
  'backup-volfile-servers',
]

/** Options that are shown without their value, or not at all. */
const INVISIBLE_KEYS = [
  'actimeo',
  'comment',
  'credentials',
  'direct-io-mode',
  'password',
  'port',
  'retry',
  'secretfile',
]

export interface OptionRules {
  extra_mount_invisible_options: string[] | null
  extra_mount_invisible_keys: string[] | null
  extra_mount_ignore_fs_keys: Dict | null
  extra_mount_translate_options: Dict | null
  hidden_opts: string[] | null
}

export const listOf = (value: Value): string[] => {
  if (typeof value === 'string') return value.split(',')
  return isList(value) ? value.map(str) : []
}

const plainList = (value: Value): string[] => (isList(value) ? value.map(str) : [])

const UNITS: Readonly<Record<string, number>> = { k: 1, m: 1024, g: 1024 * 1024 }

function inKilobytes(option: string): string | undefined {
  const [, size, unit] = /^size=([0-9]+)(k|m|g)/.exec(option) ?? []
  return size === undefined ? undefined : `size=${Number(size) * UNITS[unit!]!}k`
}

async function withNumber(ctx: StateContext, option: string): Promise<string> {
  const [key = '', id] = option.split('=')
  if ((key !== 'uid' && key !== 'gid') || id === undefined || /^[0-9]+$/.test(id)) return option
  const info = await ctx.call(key === 'uid' ? 'user.info' : 'group.info', [id])
  return `${key}=${str((info instanceof Map ? info.get(key) : undefined) ?? id)}`
}

export interface Comparison {
  /** Missing options, in the kernel's notation. */
  differing: string[]
  /** Last compared option. */
  last: string
}

export async function compareOptions(
  ctx: StateContext,
  wanted: readonly string[],
  fstype: string,
  active: Dict,
  rules: OptionRules,
): Promise<Comparison> {
  const invisible = [...INVISIBLE, ...(rules.extra_mount_invisible_options ?? []), ...(rules.hidden_opts ?? [])]
  const invisibleKeys = [...INVISIBLE_KEYS, ...(rules.extra_mount_invisible_keys ?? [])]
  const ignoredKeys = plainList(rules.extra_mount_ignore_fs_keys?.get(fstype) ?? (fstype === 'ramfs' ? ['size'] : []))
  const translated = new Map([
    ['tcp', 'proto=tcp'],
    ['udp', 'proto=udp'],
  ])
  const extra = rules.extra_mount_translate_options
  if (extra) for (const [from, to] of dictEntries(extra)) translated.set(str(from), str(to))
  const superOptions = listOf(active.get('superopts') ?? []).map((option) => inKilobytes(option) ?? option)
  const shown = new Set([...listOf(active.get('opts') ?? []), ...superOptions])
  // as in Salt, an active size counts as every option, so a file system in memory is never remounted for them
  const size = superOptions.find((option) => inKilobytes(option) !== undefined)
  const differing: string[] = []
  let last = ''
  for (const given of wanted) {
    let option = translated.get(given) ?? given
    const key = option.split('=')[0]!
    if (invisibleKeys.includes(key)) option = key
    option = inKilobytes(option) ?? option
    if (fstype === 'cifs' && key === 'user') option = `username=${option.split('=')[1]}`
    if (ignoredKeys.includes(option.split('=')[0]!)) option = option.split('=')[0]!
    last = size ?? (await withNumber(ctx, option))
    const known = [invisible, ignoredKeys, invisibleKeys].some((list) => list.includes(last))
    if (!known && !shown.has(last)) differing.push(last)
  }
  return { differing: differing.sort(), last }
}
