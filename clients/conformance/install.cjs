// Installs the languages of the clients: `node clients/conformance/install.cjs [all]`, of which all needs a screen's libraries.
const { install } = require('../../test/operate/install.cjs');

const LEAN = { 'lua5.4': '/usr/bin/lua5.4', 'lua-socket': '/usr/share/doc/lua-socket' };
const ALL = { ...LEAN, love: '/usr/bin/love' };

install(process.argv[2] === 'all' ? ALL : LEAN);
