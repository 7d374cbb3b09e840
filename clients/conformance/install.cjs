// Installs the languages of the clients that Debian has, where this is Debian and the user is root.
const { install } = require('../../test/operate/install.cjs');

install({ 'lua5.4': '/usr/bin/lua5.4', 'lua-socket': '/usr/share/doc/lua-socket', love: '/usr/bin/love' });
