// The used parts of class-validator. Its entry also loads every check it has, with the telephone numbers of all
// countries: a fifth of a second at each start.

declare module 'class-validator/cjs/register-decorator.js' {
  export { registerDecorator } from 'class-validator';
}

declare module 'class-validator/cjs/decorator/common/ValidateNested.js' {
  export { ValidateNested } from 'class-validator';
}

declare module 'class-validator/cjs/validation/Validator.js' {
  export { Validator } from 'class-validator';
}
