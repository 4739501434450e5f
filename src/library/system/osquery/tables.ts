// The tables of osquery that have a function of their own, by the systems that have them.

/** On every system. */
export const EVERYWHERE = [
  'acpi_tables',
  'arp_cache',
  'block_devices',
  'cpuid',
  'crontab',
  'etc_hosts',
  'etc_services',
  'file_changes',
  'groups',
  'hardware_events',
  'interface_addresses',
  'interface_details',
  'kernel_info',
  'last',
  'listening_ports',
  'logged_in_users',
  'mounts',
  'os_version',
  'passwd_changes',
  'pci_devices',
  'process_envs',
  'process_open_files',
  'process_open_sockets',
  'processes',
  'routes',
  'shell_history',
  'smbios_tables',
  'suid_bin',
  'system_controls',
  'usb_devices',
  'users',
  'file',
  'hash',
  'osquery_extensions',
  'osquery_flags',
  'osquery_info',
  'osquery_registry',
] as const

/** On systems of the family of Red Hat. */
export const RED_HAT = [
  'rpm_packages',
  'kernel_integrity',
  'kernel_modules',
  'memory_map',
  'process_memory_map',
  'shared_memory',
] as const

/** On systems of the family of Debian. */
export const DEBIAN = ['apt_sources', 'deb_packages'] as const

/** On macOS. */
export const MACOS = [
  'alf',
  'alf_exceptions',
  'alf_explicit_auths',
  'alf_services',
  'apps',
  'certificates',
  'chrome_extensions',
  'firefox_addons',
  'homebrew_packages',
  'iokit_devicetree',
  'iokit_registry',
  'kernel_extensions',
  'keychain_items',
  'launchd',
  'nfs_shares',
  'nvram',
  'preferences',
  'quarantine',
  'safari_extensions',
  'startup_items',
  'xattr_where_from',
  'xprotect_entries',
  'xprotect_reports',
] as const
