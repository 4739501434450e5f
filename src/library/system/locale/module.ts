// Locales of the system, through localectl on systems booted with systemd, otherwise through files of the distribution.
import { failure, misuse, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isBootedWithSystemd,
  namesIn,
  outputOf,
  type Result,
  reads,
  ret,
  retcodeOf,
  runAll,
  succeeds,
} from '../../../sdk/mod.ts'
import { joinLocale, normalLocale, splitLocale } from './module/names.ts'

const grain = (ctx: FunctionContext, name: string): string => str(ctx.grains.get(name) ?? '')

/** Parse the output of localectl: for each heading either `data` or variables. */
async function shownByLocalectl(ctx: FunctionContext): Promise<Map<string, Map<string, Value>>> {
  if ((await ctx.host.which('localectl')) === undefined) throw failure('Unable to find "localectl"')
  const { stderr } = await ctx.host.run({ argv: ['localectl'] })
  if (Buffer.from(stderr).includes('Failed to connect to bus: No such file or directory')) {
    throw failure('Command "localectl" is in a degraded state.')
  }
  const found = new Map<string, Map<string, Value>>()
  let heading = ''
  for (const line of splitLines((await outputOf(ctx, 'localectl status')).trim())) {
    const [before, after] = line.split(': ')
    if (after !== undefined) heading = before!.trim().toLowerCase().replaceAll(' ', '_')
    const data = after ?? line.trim()
    if (data === '' || heading === '') continue
    const [variable, value, more] = data.split('=')
    if (value === undefined) found.set(heading, new Map([['data', ['n/a', '(unset)'].includes(data) ? null : data]]))
    else if (more === undefined) found.set(heading, (found.get(heading) ?? new Map()).set(variable!, value))
  }
  if (found.size === 0) throw failure('Unable to parse result of "localectl"')
  return found
}

async function setByLocalectl(ctx: FunctionContext, locale: string): Promise<true> {
  const variables = (await shownByLocalectl(ctx)).get('system_locale') ?? new Map<string, Value>()
  variables.set('LANG', locale)
  const words = [...variables].filter(([, value]) => value !== null).map(([key, value]) => `${key}=${str(value)}`)
  if (await succeeds(ctx, ['localectl', 'set-locale', ...words])) return true
  await touch(ctx, '/etc/locale.conf')
  await ctx.call('file.replace', ['/etc/locale.conf', '^LANG=.*', `LANG=${locale}`], { append_if_not_found: true })
  return true
}

async function touch(ctx: FunctionContext, path: string): Promise<void> {
  if (!truthy(await ctx.call('file.file_exists', [path]))) await ctx.call('file.touch', [path])
}

interface Place {
  file: string
  variable: string
}

/** Files of the locale by OS family, without systemd. */
const PLACES: ReadonlyArray<[family: string, place: Place]> = [
  ['Suse', { file: '/etc/sysconfig/language', variable: 'RC_LANG' }],
  ['RedHat', { file: '/etc/sysconfig/i18n', variable: 'LANG' }],
  ['Debian', { file: '/etc/default/locale', variable: 'LANG' }],
  ['Solaris', { file: '/etc/default/init', variable: 'LANG' }],
]

const placeOf = (family: string): Place | undefined => PLACES.find(([name]) => family.includes(name))?.[1]

const isOldSuse = (ctx: FunctionContext): boolean =>
  grain(ctx, 'os_family') === 'Suse' && ctx.grains.get('osmajorrelease') === 12

async function systemLocale(ctx: FunctionContext): Promise<Value> {
  if ((await isBootedWithSystemd(ctx.host)) && !isOldSuse(ctx)) {
    const shown = (await shownByLocalectl(ctx)).get('system_locale')
    if (shown === undefined) throw failure('Unable to parse result of "localectl"')
    return shown.get('LANG') ?? ''
  }
  const family = grain(ctx, 'os_family')
  if (family.includes('Gentoo')) return (await outputOf(ctx, 'eselect --brief locale show')).trim()
  const place = placeOf(family)
  if (!place) throw failure(`Error: "${grain(ctx, 'oscodename')}" is unsupported!`)
  const suffix = place.variable === 'RC_LANG' ? '' : '='
  const shown = await outputOf(ctx, `grep "^${place.variable}${suffix}" ${place.file}`)
  return shown.split('=')[1]?.replaceAll('"', '') ?? ''
}

/** Return a valid name of a locale, such as de_DE.UTF-8@euro. Shells and PAM read the files that contain it. */
function checked(locale: string): string {
  if (/^\w[\w.@+-]*$/.test(locale)) return locale
  throw misuse(`Invalid locale '${locale}'`)
}

async function setSystemLocale(ctx: FunctionContext, wanted: string): Promise<boolean> {
  const locale = checked(wanted)
  const family = grain(ctx, 'os_family')
  const major = Number(ctx.grains.get('osmajorrelease') ?? 0)
  const isNewDebian = family === 'Debian' && major >= 13
  if ((await isBootedWithSystemd(ctx.host)) && !isOldSuse(ctx) && !isNewDebian) return setByLocalectl(ctx, locale)
  if (family.includes('Gentoo')) return (await retcodeOf(ctx, ['eselect', '--brief', 'locale', 'set', locale])) === 0
  const place = placeOf(family)
  if (!place) throw failure('Error: Unsupported platform!')
  if (family.includes('Suse') || family.includes('RedHat')) await touch(ctx, place.file)
  if (family.includes('Debian')) {
    const update = await ctx.host.which('update-locale')
    if (update === undefined) throw failure('Cannot set locale: "update-locale" was not found.')
    await outputOf(ctx, update)
  }
  if (family.includes('Solaris') && !(await available(ctx)).includes(locale)) return false
  const { file, variable } = place
  await ctx.call('file.replace', [file, `^${variable}=.*`, `${variable}="${locale}"`], { append_if_not_found: true })
  return true
}

const available = async (ctx: FunctionContext): Promise<string[]> => (await outputOf(ctx, 'locale -a')).split('\n')

/** Return whether the machine has the data of a locale. */
async function canGenerate(ctx: FunctionContext, locale: string, base: string): Promise<boolean> {
  if (grain(ctx, 'os') === 'Debian' || grain(ctx, 'os_family') === 'Gentoo') {
    return truthy(await ctx.call('file.search', ['/usr/share/i18n/SUPPORTED', `^${locale}$`], { flags: 8 }))
  }
  const folder = grain(ctx, 'os_family') === 'Suse' ? '/usr/share/locale' : '/usr/share/i18n/locales'
  if ((await ctx.host.stat(folder)) === undefined) throw failure(`Locale "${locale}" is not available.`)
  return (await namesIn(ctx.host, folder)).includes(base)
}

async function listForGeneration(ctx: FunctionContext, locale: string, language: string): Promise<void> {
  const options = { append_if_not_found: true }
  if (await ctx.host.access('/etc/locale.gen', 'exists')) {
    await ctx.call('file.replace', ['/etc/locale.gen', `^\\s*#\\s*${locale}\\s*$`, `${locale}\n`], options)
  } else if (grain(ctx, 'os') === 'Ubuntu') {
    const file = `/var/lib/locales/supported.d/${language}`
    await ctx.call('file.touch', [file])
    await ctx.call('file.replace', [file, locale, locale], options)
  }
}

async function generate(ctx: FunctionContext, wanted: string, verbose: boolean): Promise<Result> {
  if (grain(ctx, 'os_family') === 'Solaris') return (await available(ctx)).includes(wanted)
  const isUbuntu = grain(ctx, 'os') === 'Ubuntu'
  const parts = splitLocale(wanted)
  const base = `${parts.language}_${parts.territory}`
  const full = parts.charmap === '' && !isUbuntu ? { ...parts, charmap: parts.codeset } : parts
  const locale = joinLocale(full)
  if (!(await canGenerate(ctx, locale, base))) {
    ctx.log('error', `The provided locale "${locale}" is not found on this machine`)
    return false
  }
  await listForGeneration(ctx, locale, parts.language)
  let command: string[]
  if ((await ctx.host.which('locale-gen')) !== undefined) {
    const option = grain(ctx, 'os_family') === 'Gentoo' ? ['--generate'] : []
    command = ['locale-gen', ...option, isUbuntu ? normalLocale(locale) : locale]
  } else if ((await ctx.host.which('localedef')) !== undefined) {
    const target = `${base}.${parts.codeset}`
    command = ['localedef', '--force', '-i', base, '-f', parts.codeset, target, verbose ? '--verbose' : '--quiet']
  } else throw failure('Command "locale-gen" or "localedef" was not found on this system.')
  const outcome = await runAll(ctx, command)
  if (outcome.retcode !== 0) ctx.log('error', outcome.stderr)
  return verbose ? { ...outcome } : outcome.retcode === 0
}

const locale = arg.string('Locale, such as en_US.UTF-8')

export default defineModule({
  name: 'localemod',
  doc: 'Manage locales.',
  virtual: 'locale',
  when: ({ grains }) =>
    grains.get('kernel') !== 'Windows' || 'Cannot load locale module: windows platforms are unsupported',
  functions: {
    list_avail: reads({
      doc: 'Return the available locales.',
      run: available,
      returns: ret.texts('The names'),
    }),
    get_locale: reads({ doc: 'Return the system locale.', example: 'locale.get_locale', run: systemLocale }),
    set_locale: changes({
      doc: 'Set the system locale.',
      example: "locale.set_locale 'en_US.UTF-8'",
      args: { locale },
      run: (ctx, args) => setSystemLocale(ctx, args.locale),
    }),
    avail: reads({
      doc: 'Return whether a locale is available.',
      example: "locale.avail 'en_US.UTF-8'",
      args: { locale },
      run: async (ctx, args) => {
        const wanted = normalLocale(args.locale)
        const all = await ctx.call('locale.list_avail')
        return all.some((name) => normalLocale(str(name).trim()) === wanted)
      },
    }),
    gen_locale: changes({
      doc: 'Generate a locale.',
      example: "locale.gen_locale 'en_IE.UTF-8 UTF-8'",
      args: { locale, kwargs: arg.open('`verbose`: whether to return the whole result of the command') },
      run: (ctx, { locale, kwargs }) => generate(ctx, locale, truthy(kwargs.get('verbose') ?? false)),
    }),
  },
})
