// Made by tools/plugin-table.ts; run it after a state was added, renamed or removed.
import type { StateTable } from './state-registry.ts'

export const stateTable: StateTable = {
  alias: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/alias.ts'),
    },
  ],
  alternatives: [
    {
      functions: ['install', 'remove', 'auto', 'set'],
      load: () => import('../states/alternatives.ts'),
    },
  ],
  ansible: [
    {
      functions: ['playbooks', 'call'],
      load: () => import('../states/ansiblegate.ts'),
    },
  ],
  apache: [
    {
      functions: ['configfile'],
      load: () => import('../states/apache.ts'),
    },
  ],
  apache_conf: [
    {
      functions: ['enabled', 'disabled'],
      load: () => import('../states/apache_conf.ts'),
    },
  ],
  apache_module: [
    {
      functions: ['enabled', 'disabled'],
      load: () => import('../states/apache_module.ts'),
    },
  ],
  apache_site: [
    {
      functions: ['enabled', 'disabled'],
      load: () => import('../states/apache_site.ts'),
    },
  ],
  apt: [
    {
      functions: ['held'],
      load: () => import('../states/aptpkg.ts'),
    },
  ],
  archive: [
    {
      functions: ['extracted'],
      load: () => import('../states/archive.ts'),
    },
  ],
  at: [
    {
      functions: ['present', 'absent', 'watch', 'mod_watch'],
      load: () => import('../states/at.ts'),
    },
  ],
  augeas: [
    {
      functions: ['change'],
      load: () => import('../states/augeas.ts'),
    },
  ],
  beacon: [
    {
      functions: ['present', 'absent', 'enabled', 'disabled'],
      load: () => import('../states/beacon.ts'),
    },
  ],
  blockdev: [
    {
      functions: ['tuned', 'formatted'],
      load: () => import('../states/blockdev.ts'),
    },
  ],
  chocolatey: [
    {
      functions: ['installed', 'uninstalled', 'upgraded', 'source_present', 'bootstrapped', 'unbootstrapped'],
      load: () => import('../states/chocolatey.ts'),
    },
  ],
  cmd: [
    {
      functions: ['wait', 'watch', 'wait_script', 'run', 'script', 'call', 'wait_call', 'mod_watch'],
      load: () => import('../states/cmd.ts'),
    },
  ],
  cron: [
    {
      functions: ['present', 'absent', 'file', 'env_present', 'env_absent'],
      load: () => import('../states/cron.ts'),
    },
  ],
  ddns: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/ddns.ts'),
    },
  ],
  debconf: [
    {
      functions: ['set_file', 'set'],
      load: () => import('../states/debconfmod.ts'),
    },
  ],
  disk: [
    {
      functions: ['status'],
      load: () => import('../states/disk.ts'),
    },
  ],
  docker_container: [
    {
      functions: ['running', 'stopped', 'absent', 'run', 'mod_watch'],
      load: () => import('../states/docker_container.ts'),
    },
  ],
  docker_image: [
    {
      functions: ['present', 'absent', 'mod_watch'],
      load: () => import('../states/docker_image.ts'),
    },
  ],
  docker_network: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/docker_network.ts'),
    },
  ],
  docker_volume: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/docker_volume.ts'),
    },
  ],
  environ: [
    {
      functions: ['setenv'],
      load: () => import('../states/environ.ts'),
    },
  ],
  event: [
    {
      functions: ['send', 'wait', 'mod_watch', 'fire_master'],
      load: () => import('../states/event.ts'),
    },
  ],
  file: [
    {
      functions: [
        'absent',
        'accumulated',
        'append',
        'blockreplace',
        'cached',
        'comment',
        'copy',
        'decode',
        'directory',
        'exists',
        'hardlink',
        'keyvalue',
        'line',
        'managed',
        'missing',
        'mknod',
        'mod_beacon',
        'not_cached',
        'patch',
        'prepend',
        'pruned',
        'recurse',
        'rename',
        'replace',
        'retention_schedule',
        'serialize',
        'shortcut',
        'symlink',
        'tidied',
        'touch',
        'uncomment',
      ],
      hooks: ['mod_run_check_cmd'],
      load: () => import('../states/file.ts'),
    },
  ],
  firewall: [
    {
      functions: ['check'],
      load: () => import('../states/firewall.ts'),
    },
  ],
  firewalld: [
    {
      functions: ['present', 'service'],
      load: () => import('../states/firewalld.ts'),
    },
  ],
  flatpak: [
    {
      functions: ['installed', 'uninstalled', 'add_remote'],
      load: () => import('../states/flatpak.ts'),
    },
  ],
  gem: [
    {
      functions: ['installed', 'removed', 'sources_add', 'sources_remove'],
      load: () => import('../states/gem.ts'),
    },
  ],
  git: [
    {
      functions: ['latest', 'present', 'detached', 'cloned', 'config_unset', 'config_set'],
      load: () => import('../states/git.ts'),
    },
  ],
  gpg: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/gpg.ts'),
    },
  ],
  grains: [
    {
      functions: ['exists', 'present', 'list_present', 'list_absent', 'absent', 'append'],
      load: () => import('../states/grains.ts'),
    },
  ],
  group: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/group.ts'),
    },
  ],
  highstate_doc: [
    {
      functions: ['note'],
      load: () => import('../states/highstate_doc.ts'),
    },
  ],
  host: [
    {
      functions: ['present', 'absent', 'only'],
      load: () => import('../states/host.ts'),
    },
  ],
  http: [
    {
      functions: ['query', 'wait_for_successful_query'],
      load: () => import('../states/http.ts'),
    },
  ],
  influxdb_continuous_query: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/influxdb_continuous_query.ts'),
    },
  ],
  influxdb_database: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/influxdb_database.ts'),
    },
  ],
  influxdb_retention_policy: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/influxdb_retention_policy.ts'),
    },
  ],
  influxdb_user: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/influxdb_user.ts'),
    },
  ],
  ini: [
    {
      functions: ['options_present', 'options_absent', 'sections_present', 'sections_absent'],
      load: () => import('../states/ini.ts'),
    },
  ],
  ipset: [
    {
      functions: ['set_present', 'set_absent', 'present', 'absent', 'flush'],
      load: () => import('../states/ipset.ts'),
    },
  ],
  iptables: [
    {
      functions: ['chain_present', 'chain_absent', 'append', 'insert', 'delete', 'set_policy', 'flush'],
      hooks: ['mod_aggregate'],
      load: () => import('../states/iptables.ts'),
    },
  ],
  keyboard: [
    {
      functions: ['system', 'xorg'],
      load: () => import('../states/keyboard.ts'),
    },
  ],
  kmod: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/kmod.ts'),
    },
  ],
  acl: [
    {
      functions: ['present', 'absent', 'list_present', 'list_absent'],
      load: () => import('../states/linux_acl.ts'),
    },
  ],
  locale: [
    {
      functions: ['system', 'present'],
      load: () => import('../states/locale.ts'),
    },
  ],
  logrotate: [
    {
      functions: ['set'],
      load: () => import('../states/logrotate.ts'),
    },
  ],
  loop: [
    {
      functions: ['until', 'until_no_eval'],
      load: () => import('../states/loop.ts'),
    },
  ],
  lvm: [
    {
      functions: ['pv_present', 'pv_absent', 'vg_present', 'vg_absent', 'lv_present', 'lv_absent'],
      load: () => import('../states/lvm.ts'),
    },
  ],
  macpackage: [
    {
      functions: ['installed'],
      load: () => import('../states/macpackage.ts'),
    },
  ],
  raid: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/mdadm_raid.ts'),
    },
  ],
  module: [
    {
      functions: ['wait', 'watch', 'run', 'mod_watch'],
      load: () => import('../states/module.ts'),
    },
  ],
  mongodb_database: [
    {
      functions: ['absent'],
      load: () => import('../states/mongodb_database.ts'),
    },
  ],
  mongodb_user: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/mongodb_user.ts'),
    },
  ],
  monit: [
    {
      functions: ['monitor', 'unmonitor'],
      load: () => import('../states/monit.ts'),
    },
  ],
  mount: [
    {
      functions: ['mounted', 'swap', 'unmounted', 'mod_watch', 'fstab_present', 'fstab_absent'],
      load: () => import('../states/mount.ts'),
    },
  ],
  mysql_database: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/mysql_database.ts'),
    },
  ],
  mysql_grants: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/mysql_grants.ts'),
    },
  ],
  mysql_query: [
    {
      functions: ['run', 'run_file'],
      load: () => import('../states/mysql_query.ts'),
    },
  ],
  mysql_user: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/mysql_user.ts'),
    },
  ],
  network: [
    {
      functions: ['managed', 'routes', 'system'],
      load: () => import('../states/network.ts'),
    },
  ],
  nftables: [
    {
      functions: [
        'chain_present',
        'chain_absent',
        'append',
        'insert',
        'delete',
        'flush',
        'set_policy',
        'table_present',
        'table_absent',
      ],
      load: () => import('../states/nftables.ts'),
    },
  ],
  npm: [
    {
      functions: ['installed', 'removed', 'bootstrap', 'cache_cleaned'],
      load: () => import('../states/npm.ts'),
    },
  ],
  ntp: [
    {
      functions: ['managed'],
      load: () => import('../states/ntp.ts'),
    },
  ],
  pdbedit: [
    {
      functions: ['absent', 'managed', 'present'],
      load: () => import('../states/pdbedit.ts'),
    },
  ],
  pip: [
    {
      functions: ['installed', 'removed', 'uptodate'],
      load: () => import('../states/pip_state.ts'),
    },
  ],
  pkg: [
    {
      functions: [
        'installed',
        'latest',
        'removed',
        'purged',
        'downloaded',
        'patch_installed',
        'patch_downloaded',
        'uptodate',
        'group_installed',
        'held',
        'unheld',
        'mod_watch',
        'mod_beacon',
      ],
      hooks: ['mod_aggregate', 'mod_init'],
      load: () => import('../states/pkg.ts'),
    },
  ],
  pkgbuild: [
    {
      functions: ['built', 'repo'],
      load: () => import('../states/pkgbuild.ts'),
    },
  ],
  pkgrepo: [
    {
      functions: ['managed', 'absent'],
      load: () => import('../states/pkgrepo.ts'),
    },
  ],
  postgres_cluster: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/postgres_cluster.ts'),
    },
  ],
  postgres_database: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/postgres_database.ts'),
    },
  ],
  postgres_extension: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/postgres_extension.ts'),
    },
  ],
  postgres_group: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/postgres_group.ts'),
    },
  ],
  postgres_initdb: [
    {
      functions: ['present'],
      load: () => import('../states/postgres_initdb.ts'),
    },
  ],
  postgres_language: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/postgres_language.ts'),
    },
  ],
  postgres_privileges: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/postgres_privileges.ts'),
    },
  ],
  postgres_schema: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/postgres_schema.ts'),
    },
  ],
  postgres_tablespace: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/postgres_tablespace.ts'),
    },
  ],
  postgres_user: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/postgres_user.ts'),
    },
  ],
  process: [
    {
      functions: ['absent'],
      load: () => import('../states/process.ts'),
    },
  ],
  pyenv: [
    {
      functions: ['installed', 'absent', 'install_pyenv'],
      load: () => import('../states/pyenv.ts'),
    },
  ],
  quota: [
    {
      functions: ['mode'],
      load: () => import('../states/quota.ts'),
    },
  ],
  rabbitmq_cluster: [
    {
      functions: ['joined', 'join'],
      load: () => import('../states/rabbitmq_cluster.ts'),
    },
  ],
  rabbitmq_plugin: [
    {
      functions: ['enabled', 'disabled'],
      load: () => import('../states/rabbitmq_plugin.ts'),
    },
  ],
  rabbitmq_policy: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/rabbitmq_policy.ts'),
    },
  ],
  rabbitmq_upstream: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/rabbitmq_upstream.ts'),
    },
  ],
  rabbitmq_user: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/rabbitmq_user.ts'),
    },
  ],
  rabbitmq_vhost: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/rabbitmq_vhost.ts'),
    },
  ],
  redis: [
    {
      functions: ['string', 'absent', 'slaveof'],
      load: () => import('../states/redismod.ts'),
    },
  ],
  reg: [
    {
      functions: ['present', 'absent', 'key_absent'],
      load: () => import('../states/reg.ts'),
    },
  ],
  salt: [
    {
      functions: ['state', 'function', 'wait_for_event', 'runner', 'parallel_runners', 'wheel'],
      load: () => import('../states/saltmod.ts'),
    },
  ],
  saltutil: [
    {
      functions: [
        'sync_all',
        'sync_beacons',
        'sync_clouds',
        'sync_engines',
        'sync_grains',
        'sync_executors',
        'sync_log_handlers',
        'sync_modules',
        'sync_output',
        'sync_outputters',
        'sync_pillar',
        'sync_proxymodules',
        'sync_matchers',
        'sync_renderers',
        'sync_returners',
        'sync_sdb',
        'sync_states',
        'sync_tops',
        'sync_resources',
        'sync_thorium',
        'sync_utils',
        'sync_serializers',
        'sync_wrapper',
      ],
      load: () => import('../states/saltutil.ts'),
    },
  ],
  schedule: [
    {
      functions: ['present', 'absent', 'enabled', 'disabled'],
      load: () => import('../states/schedule.ts'),
    },
  ],
  selinux: [
    {
      functions: [
        'mode',
        'boolean',
        'module',
        'module_install',
        'module_remove',
        'fcontext_policy_present',
        'fcontext_policy_absent',
        'fcontext_policy_applied',
        'port_policy_present',
        'port_policy_absent',
      ],
      hooks: ['mod_aggregate'],
      load: () => import('../states/selinux.ts'),
    },
  ],
  service: [
    {
      functions: ['running', 'dead', 'enabled', 'disabled', 'masked', 'unmasked', 'mod_watch', 'mod_beacon'],
      load: () => import('../states/service.ts'),
    },
  ],
  slack: [
    {
      functions: ['post_message'],
      load: () => import('../states/slack.ts'),
    },
  ],
  smtp: [
    {
      functions: ['send_msg'],
      load: () => import('../states/smtp.ts'),
    },
  ],
  snap: [
    {
      functions: ['installed', 'removed', 'enabled', 'disabled'],
      load: () => import('../states/snap.ts'),
    },
  ],
  sqlite3: [
    {
      functions: ['row_present', 'row_absent', 'table_present', 'table_absent'],
      load: () => import('../states/sqlite3.ts'),
    },
  ],
  ssh_auth: [
    {
      functions: ['present', 'absent', 'manage'],
      load: () => import('../states/ssh_auth.ts'),
    },
  ],
  ssh_known_hosts: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/ssh_known_hosts.ts'),
    },
  ],
  stateconf: [
    {
      functions: ['set', 'context'],
      load: () => import('../states/stateconf.ts'),
    },
  ],
  status: [
    {
      functions: ['loadavg', 'process'],
      load: () => import('../states/status.ts'),
    },
  ],
  supervisord: [
    {
      functions: ['running', 'dead', 'mod_watch'],
      load: () => import('../states/supervisord.ts'),
    },
  ],
  sysctl: [
    {
      functions: ['present'],
      load: () => import('../states/sysctl.ts'),
    },
  ],
  sysfs: [
    {
      functions: ['present'],
      load: () => import('../states/sysfs.ts'),
    },
  ],
  syslog_ng: [
    {
      functions: ['config', 'stopped', 'started', 'reloaded'],
      load: () => import('../states/syslog_ng.ts'),
    },
  ],
  sysrc: [
    {
      functions: ['managed', 'absent'],
      load: () => import('../states/sysrc.ts'),
    },
  ],
  test: [
    {
      functions: [
        'nop',
        'succeed_without_changes',
        'fail_without_changes',
        'succeed_with_changes',
        'fail_with_changes',
        'configurable_test_state',
        'show_notification',
        'mod_watch',
        'check_pillar',
      ],
      load: () => import('../states/test.ts'),
    },
  ],
  timezone: [
    {
      functions: ['system'],
      load: () => import('../states/timezone.ts'),
    },
  ],
  tls: [
    {
      functions: ['valid_certificate'],
      load: () => import('../states/tls.ts'),
    },
  ],
  ufw: [
    {
      functions: ['enabled', 'default_incoming', 'default_outgoing', 'deny', 'limit', 'allow', 'allowed'],
      load: () => import('../states/ufw.ts'),
    },
  ],
  user: [
    {
      functions: ['present', 'absent'],
      load: () => import('../states/user.ts'),
    },
  ],
  virtualenv: [
    {
      functions: ['managed', 'manage'],
      load: () => import('../states/virtualenv_mod.ts'),
    },
  ],
  webutil: [
    {
      functions: ['user_exists', 'user_absent'],
      load: () => import('../states/webutil.ts'),
    },
  ],
  x509: [
    {
      functions: ['certificate_managed', 'crl_managed', 'csr_managed', 'pem_managed', 'private_key_managed'],
      load: () => import('../states/x509_v2.ts'),
    },
  ],
  xml: [
    {
      functions: ['value_present'],
      load: () => import('../states/xml.ts'),
    },
  ],
}
