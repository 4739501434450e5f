import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import osquery from './module.ts'

/** The tables with a function of their own. */
const TABLES = `
  acpi_tables arp_cache block_devices cpuid crontab etc_hosts etc_services file_changes groups hardware_events
  interface_addresses interface_details kernel_info last listening_ports logged_in_users mounts os_version
  passwd_changes pci_devices process_envs process_open_files process_open_sockets processes routes
  shell_history smbios_tables suid_bin system_controls usb_devices users file hash osquery_extensions
  osquery_flags osquery_info osquery_registry rpm_packages kernel_integrity kernel_modules memory_map
  process_memory_map shared_memory apt_sources deb_packages alf alf_exceptions alf_explicit_auths alf_services
  apps certificates chrome_extensions firefox_addons homebrew_packages iokit_devicetree iokit_registry
  kernel_extensions keychain_items launchd nfs_shares nvram preferences quarantine safari_extensions
  startup_items xattr_where_from xprotect_entries xprotect_reports
`
  .trim()
  .split(/\s+/)

const COLUMNS = [
  { cid: '0', name: 'uid' },
  { cid: '1', name: 'username' },
]

/** The output of osqueryi for the queries of these tests. */
function answer(sql: string): { stdout?: string; stderr?: string; retcode?: number } {
  if (sql.startsWith('pragma table_info(users)')) return { stdout: JSON.stringify(COLUMNS) }
  if (sql.startsWith('pragma table_info(osquery_info)')) return { stdout: '[{"name":"version"}]' }
  if (sql.startsWith('pragma')) return { stdout: '[]' }
  if (sql === 'select version from osquery_info;') return { stdout: '[{"version":"5.8.2"}]' }
  if (sql.includes('nowhere')) return { stderr: 'Error: no such table: nowhere\n', retcode: 1 }
  return { stdout: JSON.stringify([{ asked: sql }]) }
}

async function call(name: string, kwargs: Record<string, Value> = {}, grains: Record<string, Value> = {}) {
  const host = await MemoryHost.with({
    files: { '/usr/bin/osqueryi': { text: '', mode: 0o755 } },
    commands: [({ argv }) => answer(argv[2]!)],
  })
  const everywhere = { os_family: 'Debian', kernel: 'Linux', ...grains }
  return toPlain(await tryFunction(osquery, name, { host, kwargs, grains: new Map(Object.entries(everywhere)) }))
}

describe('osquery', () => {
  test.each(TABLES)('%s asks for its table', async (table) => {
    const systems = [{}, { os_family: 'RedHat' }, { kernel: 'Darwin' }]
    const answers = await Promise.all(systems.map((grains) => call(table, {}, grains)))
    expect(answers).toContainEqual({ result: true, data: [{ asked: `select * from ${table};` }] })
  })

  test('all functions are tried', () => {
    expect(Object.keys(osquery.functions).sort()).toEqual([...TABLES, 'query', 'time', 'version'].sort())
  })

  test('columns are checked, and a condition is passed on', async () => {
    const wanted = { attrs: ['uid', 'username'], where: 'uid > 1000' }
    expect(await call('users', wanted)).toEqual({
      result: true,
      data: [{ asked: 'select uid,username from users where uid > 1000;' }],
    })
    expect(await call('users', { attrs: ['shell'] })).toEqual({
      result: false,
      comment: 'shell is not a valid attribute for table users',
    })
    expect(await call('users', { attrs: 'uid' })).toEqual({
      result: false,
      comment: 'attrs must be specified as a list.',
    })
    expect(await call('time', { attrs: ['unix_time'] })).toEqual({ result: false, comment: 'Invalid table time.' })
  })

  test('tables of other systems are refused', async () => {
    expect(await call('rpm_packages')).toEqual({
      result: false,
      comment: 'Only available on RedHat based systems.',
    })
    expect(await call('launchd')).toEqual({ result: false, comment: 'Only available on macOS systems.' })
  })

  test("version and query return osquery's output", async () => {
    expect(await call('version')).toBe('5.8.2')
    expect(await call('query', { sql: 'select 1;' })).toEqual({ result: true, data: [{ asked: 'select 1;' }] })
    expect(await call('query', { sql: 'select * from nowhere;' })).toEqual({
      result: false,
      error: 'Error: no such table: nowhere',
    })
  })
})
