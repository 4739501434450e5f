// The catalog of plugins of Vault: registered plugins and their versions, pins, and reloads.
import { recover } from '../../../base/mod.ts'
import { compareLoose, type Dict, fnmatch, isDict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, optionalText, reads, ret } from '../../../sdk/mod.ts'
import { dataOf, type VaultAccess } from './access.ts'
import { asking, dataAt, given } from './asking.ts'
import { isVaultError } from './errors.ts'

const TYPES = ['auth', 'database', 'secret']

const plugin_type = arg.text('`auth`, `database` or `secret`')
const name = arg.text('Name of the plugin')
const done = ret.boolean('True')
const globally = arg.flag('Reload on all nodes of the cluster, not only on the one that answers', { default: false })
const reloading = {
  now: arg.flag('Reload the mounts of the plugin', { default: false }),
  now_globally: arg.flag('With `now`, reload on all nodes of the cluster', { default: false }),
}

function checkedType(type: string): string {
  if (TYPES.includes(type)) return type
  throw misuse(`Invalid value for parameter 'plugin_type': '${type}'. Valid: ${TYPES.join(', ')}`)
}

const plainVersion = (version: string): string => version.replace(/^v+/, '')
const textIn = (entry: Dict, field: string): string => str(entry.get(field) ?? '')
const fits = (text: string, wanted: string | null, isPattern: boolean): boolean =>
  wanted === null || text === wanted || (isPattern && fnmatch(text, wanted))

interface Wanted {
  plugin_type?: string | null
  name?: string | null
  builtin?: boolean | null
  version?: string | null
  sha256?: string | null
}

const entriesIn = (body: Dict, field: string): Dict[] => {
  const found = dataOf(body).get(field) ?? []
  return isList(found) ? found.filter(isDict) : []
}

/** Return the entries of the catalog. The lists of one type leave out plugins that are registered with a version, so this reads the whole. */
async function catalog(access: VaultAccess, wanted: Wanted, isPattern = false): Promise<Dict[]> {
  const { plugin_type: type = null, name = null, builtin = null, version = null, sha256 = null } = wanted
  if (type !== null) checkedType(type)
  return entriesIn(await access.get('sys/plugins/catalog'), 'detailed').filter(
    (entry) =>
      fits(textIn(entry, 'type'), type, false) &&
      fits(textIn(entry, 'name'), name, isPattern) &&
      (builtin === null || truthy(entry.get('builtin') ?? false) === builtin) &&
      fits(plainVersion(textIn(entry, 'version')), version === null ? null : plainVersion(version), isPattern) &&
      fits(textIn(entry, 'sha256'), sha256, false),
  )
}

const unique = (entries: readonly Dict[], field: string): string[] =>
  [...new Set(entries.map((entry) => textIn(entry, field)))].sort()

const pinPath = (type: string, name: string): string => `sys/plugins/pins/${checkedType(type)}/${name}`
const catalogPath = (type: string, name: string): string => `sys/plugins/catalog/${checkedType(type)}/${name}`

async function pinnedVersion(access: VaultAccess, type: string, name: string): Promise<string | null> {
  const pin = await dataAt(access, pinPath(type, name))
  return pin ? textIn(pin, 'version') : null
}

/** Reload mounts; return the id of the reload, or false where nothing was reloaded. */
async function reload(access: VaultAccess, path: string, payload: Dict, isGlobal: boolean): Promise<string | false> {
  if (isGlobal) payload.set('scope', 'global')
  const body = await access.post(path, payload)
  const warnings = body.get('warnings') ?? null
  if (isList(warnings) && warnings.some((text) => str(text).includes('no plugins were reloaded'))) return false
  return textIn(dataOf(body), 'reload_id')
}

const reloadPath = (type: string, name: string): string => `sys/plugins/reload/${checkedType(type)}/${name}`

/** Return the version that new mounts of a plugin get: the pinned one, else the highest. */
async function usualVersion(access: VaultAccess, type: string, name: string): Promise<string | null> {
  const pinned = await pinnedVersion(access, type, name).catch((error: unknown) => {
    // OpenBao has no pins
    if (isVaultError(error, 'VaultUnsupportedOperationError') || isVaultError(error, 'VaultPermissionDeniedError'))
      return null
    throw error
  })
  if (pinned) return pinned
  const versions = unique(await catalog(access, { plugin_type: type, name }), 'version').filter((text) => text !== '')
  return versions.sort((a, b) => compareLoose(plainVersion(a), plainVersion(b)) ?? 0).at(-1) ?? null
}

const listing = {
  list: reads({
    doc: 'Return the names of the registered plugins of a type.',
    args: { plugin_type },
    returns: ret.texts('The names'),
    example: 'vault_plugin.list auth',
    run: (ctx, { plugin_type }) =>
      asking(ctx, async (access) => unique(await catalog(access, { plugin_type }), 'name')),
  }),
  list_versions: reads({
    doc: 'Return the registered versions of a plugin.',
    args: { plugin_type, name },
    returns: ret.texts('The versions'),
    example: 'vault_plugin.list_versions database mymysql-database-plugin',
    run: (ctx, { plugin_type, name }) =>
      asking(ctx, async (access) => unique(await catalog(access, { plugin_type, name }), 'version')),
  }),
  list_detailed: reads({
    doc: 'Return what Vault knows about plugins.',
    args: {
      plugin_type: optionalText('`auth`, `database` or `secret`'),
      name: optionalText('Name of the plugin, or a glob'),
      builtin: arg.flag('Return only plugins that Vault has built in (True) or only others (False)', {
        optional: true,
      }),
      version: optionalText('Version, or a glob; an empty text for plugins without a version'),
      sha256: optionalText('SHA-256 of the program'),
    },
    returns: ret.list('A dict for each version of a plugin'),
    example: 'vault_plugin.list_detailed database',
    run: (ctx, wanted) => asking(ctx, (access) => catalog(access, wanted, true)),
  }),
  get_config: reads({
    doc: 'Return the configuration of a plugin.',
    args: {
      plugin_type,
      name,
      version: optionalText(
        'Version. Default: a plugin without a version, else the one that new mounts get; an empty text for a plugin without a version',
      ),
    },
    returns: ret.dict('The configuration'),
    example: 'vault_plugin.get_config database mysql-database-plugin',
    run: (ctx, { plugin_type, name, version }) =>
      asking(ctx, async (access) => {
        const path = catalogPath(plugin_type, name)
        try {
          return dataOf(await access.get(path, version ? { version } : undefined))
        } catch (error) {
          if (version !== null || !isVaultError(error, 'VaultNotFoundError')) throw error
          const usual = await usualVersion(access, plugin_type, name)
          if (usual === null) throw error
          return dataOf(await access.get(path, { version: usual }))
        }
      }),
  }),
}

const pins = {
  list_pins: reads({
    doc: 'Return the pinned versions of plugins.',
    args: {
      plugin_type: optionalText('`auth`, `database` or `secret`'),
      name: optionalText('Name of the plugin, or a glob'),
    },
    returns: ret.list('A dict for each pin'),
    example: 'vault_plugin.list_pins database',
    run: (ctx, { plugin_type, name }) =>
      asking(ctx, async (access) => {
        if (plugin_type !== null) checkedType(plugin_type)
        return entriesIn(await access.get('sys/plugins/pins'), 'pinned_versions').filter(
          (pin) => fits(textIn(pin, 'type'), plugin_type, false) && fits(textIn(pin, 'name'), name, true),
        )
      }),
  }),
  pinned_version: reads({
    doc: 'Return the version to which a plugin is pinned.',
    args: { plugin_type, name },
    returns: ret.optional(ret.string('The version; None for a plugin that is not pinned')),
    example: 'vault_plugin.pinned_version database mymysql-database-plugin',
    run: (ctx, { plugin_type, name }) => asking(ctx, (access) => pinnedVersion(access, plugin_type, name)),
  }),
  pin: changes({
    doc: 'Pin a plugin to a version. OpenBao does not have pins.',
    args: { plugin_type, name, version: arg.text('Version'), ...reloading },
    returns: done,
    example: 'vault_plugin.pin database mymysql-database-plugin v1.2.3',
    run: (ctx, { plugin_type, name, version, now, now_globally }) =>
      asking(ctx, async (access) => {
        await access.post(pinPath(plugin_type, name), given({ version }), { isRepeatable: true })
        if (now) await reload(access, reloadPath(plugin_type, name), new Map(), now_globally)
        return true
      }),
  }),
  unpin: changes({
    doc: 'Remove the pin of a plugin.',
    args: { plugin_type, name, ...reloading },
    returns: done,
    example: 'vault_plugin.unpin database mymysql-database-plugin',
    run: (ctx, { plugin_type, name, now, now_globally }) =>
      asking(ctx, async (access) => {
        await access.delete(pinPath(plugin_type, name))
        if (now) await reload(access, reloadPath(plugin_type, name), new Map(), now_globally)
        return true
      }),
  }),
}

const registering = {
  register: changes({
    doc: 'Register a plugin.',
    args: {
      plugin_type,
      name,
      sha256: optionalText('SHA-256 of the program or of the image; not given for an extracted .zip file'),
      command: optionalText('Program, below the directory of plugins. Default: the name of the plugin'),
      args: arg.list('Arguments of the program', { optional: true }),
      env: arg.list('Environment variables of the program, each as `KEY=value`', { optional: true, secret: true }),
      version: optionalText('Version of the plugin'),
      oci_image: optionalText('Image of a container that has the plugin'),
      runtime: optionalText('Runtime of the container'),
      download: arg.flag('Download the plugin from releases.hashicorp.com; only Vault Enterprise can', {
        default: false,
      }),
    },
    returns: done,
    example: 'vault_plugin.register database mymysql-database-plugin deadbeefcafe command=mymysql',
    run: (ctx, { plugin_type, name, command, oci_image, runtime, download, ...fields }) =>
      asking(ctx, async (access) => {
        const image = oci_image === null ? {} : { oci_image, runtime }
        const program = command ?? (oci_image ? null : name)
        const payload = given({ ...fields, ...image, command: program, download: download || null })
        await access.post(catalogPath(plugin_type, name), payload, { isRepeatable: true })
        return true
      }),
  }),
  deregister: changes({
    doc: 'Remove a plugin, or a version of it, from the catalog. Vault reports no error where there is none.',
    args: { plugin_type, name, version: optionalText('Version; none for a plugin without a version') },
    returns: done,
    example: 'vault_plugin.deregister database mymysql-database-plugin version=v1.0.0',
    run: (ctx, { plugin_type, name, version }) =>
      asking(ctx, async (access) => {
        const path = catalogPath(plugin_type, name)
        await access.ask({ method: 'DELETE', path, ...(version && { params: { version } }) })
        return true
      }),
  }),
}

const reloads = {
  reload: changes({
    doc: 'Reload all mounts of a plugin.',
    args: { plugin_type, name, globally },
    returns: ret.orFalse(ret.string('Id of the reload; False if nothing was reloaded')),
    example: 'vault_plugin.reload database mymysql-database-plugin',
    run: (ctx, { plugin_type, name, globally }) =>
      asking(ctx, (access) => reload(access, reloadPath(plugin_type, name), new Map(), globally)),
  }),
  reload_named: changes({
    doc: 'Reload all mounts of a plugin, by its name alone.',
    args: { name, globally },
    returns: ret.orFalse(ret.string('Id of the reload; False if nothing was reloaded')),
    example: 'vault_plugin.reload_named mymysql-database-plugin',
    run: (ctx, { name, globally }) =>
      asking(ctx, async (access) => {
        return recover(
          (error) =>
            isVaultError(error, 'VaultInvocationError') && error.message.includes('plugin not found in the catalog'),
          false,
          () => reload(access, 'sys/plugins/reload/backend', given({ plugin: name }), globally),
        )
      }),
  }),
  reload_mounts: changes({
    doc: 'Reload the plugins of mounts.',
    args: { mounts: arg.textOrList('Mount, or list of mounts'), globally },
    returns: ret.orFalse(ret.string('Id of the reload; False if nothing was reloaded')),
    example: 'vault_plugin.reload_mounts database/',
    run: (ctx, { mounts, globally }) =>
      asking(ctx, (access) =>
        reload(
          access,
          'sys/plugins/reload/backend',
          given({ mounts: (isList(mounts) ? mounts : [mounts]) as Value }),
          globally,
        ),
      ),
  }),
}

export default defineModule({
  name: 'vault_plugin',
  doc: 'Manage plugins of Vault or OpenBao.',
  functions: { ...listing, ...pins, ...registering, ...reloads },
})
