// Installs the languages of the clients that Debian has, where this is Debian and the user is root, and gdtoolkit, where Python
// with pip is here. Tests of what is missing are skipped, and say so.
const { install } = require('../../test/operate/install.cjs');
const { installGdtoolkit } = require('./gdtoolkit.cjs');

install({
  'lua5.4': '/usr/bin/lua5.4',
  'liblua5.4-dev': '/usr/include/lua5.4/lua.h',
  luarocks: '/usr/bin/luarocks',
  'lua-socket': '/usr/share/doc/lua-socket',
  love: '/usr/bin/love',
  'mono-mcs': '/usr/bin/mcs',
  'mono-runtime': '/usr/bin/mono',
  'libmono-system-net-http4.0-cil': '/usr/lib/mono/4.5/System.Net.Http.dll',
});
installGdtoolkit();
