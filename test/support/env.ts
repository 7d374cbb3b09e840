import 'reflect-metadata';

// Like the running service: graphql checks every value twice unless NODE_ENV is production.
process.env.NODE_ENV = 'production';
